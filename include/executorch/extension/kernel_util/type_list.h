/**
 * @file
 * Lists of types, for the headers beside it.
 */
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace executorch {
namespace extension {
namespace kernel_util_internal {

/// False, but only once the template is instantiated.
template <class... T>
struct false_t : std::false_type {};

/// Carries types; there are no objects of it.
template <class... Items>
struct typelist final {
  typelist() = delete;
};

/// Whether T is Template<...>.
template <template <class...> class Template, class T>
struct is_instantiation_of : std::false_type {};
template <template <class...> class Template, class... Args>
struct is_instantiation_of<Template, Template<Args...>> : std::true_type {};
template <template <class...> class Template, class T>
using is_instantiation_of_t = typename is_instantiation_of<Template, T>::type;

/// Number of types.
template <class TypeList>
struct size final {
  static_assert(false_t<TypeList>::value, "size<T> takes a typelist<...>.");
};
template <class... Types>
struct size<typelist<Types...>> final {
  static constexpr size_t value = sizeof...(Types);
};

/// The type at an index.
template <size_t Index, class TypeList>
struct element final {
  static_assert(false_t<TypeList>::value, "element<I, T> takes a typelist<...>.");
};
template <size_t Index, class... Types>
struct element<Index, typelist<Types...>> {
  static_assert(Index < sizeof...(Types), "The typelist has no such element.");
  using type = std::tuple_element_t<Index, std::tuple<Types...>>;
};
template <size_t Index, class TypeList>
using element_t = typename element<Index, TypeList>::type;

/// The first type, Default when there is none.
template <class Default, class TypeList>
struct head_with_default final {
  using type = Default;
};
template <class Default, class Head, class... Tail>
struct head_with_default<Default, typelist<Head, Tail...>> final {
  using type = Head;
};
template <class Default, class TypeList>
using head_with_default_t = typename head_with_default<Default, TypeList>::type;

/// The types from an offset, as many as the index sequence has.
template <class TypeList, size_t offset, class IndexSequence>
struct take_elements final {};
template <class TypeList, size_t offset, size_t... Indices>
struct take_elements<TypeList, offset, std::index_sequence<Indices...>> final {
  using type = typelist<element_t<offset + Indices, TypeList>...>;
};

/// The types without the first `num`, or none when there are fewer.
template <class TypeList, size_t num>
struct drop_if_nonempty final {
  static_assert(is_instantiation_of<typelist, TypeList>::value,
                "drop_if_nonempty<T, num> takes a typelist<...>.");
  static constexpr size_t kDropped = num < size<TypeList>::value ? num : size<TypeList>::value;
  using type =
      typename take_elements<TypeList, kDropped,
                             std::make_index_sequence<size<TypeList>::value - kDropped>>::type;
};
template <class TypeList, size_t num>
using drop_if_nonempty_t = typename drop_if_nonempty<TypeList, num>::type;

}  // namespace kernel_util_internal
}  // namespace extension
}  // namespace executorch
