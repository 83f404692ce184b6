// A library that a code object is linked to and that cannot be found when it is loaded.
extern "C" __attribute__((visibility("default"))) int function_of_a_gone_library() {
  return 0;
}
