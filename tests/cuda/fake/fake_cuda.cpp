// A libcuda.so.1 for tests: code objects are linked with one.
extern "C" int cuInit(unsigned) {
  return 0;
}
extern "C" int cuModuleUnload(void*) {
  return 0;
}
