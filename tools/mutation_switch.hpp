// Mutants that are chosen at run time. tools/mutate includes this file into every translation unit
// and rewrites `a < b` as `a < Binary<17, 1>() < b`: the same precedence, the same operands, each
// evaluated once. With MUTANT=17 in the environment it is `a <= b`.
//
// Constant expressions are never mutated: their mutants are asleep. The file named by
// MUTATION_REACHED lists the mutants that a program reached, and those whose value differed from
// the code's own. A test without such a difference cannot kill the mutant, and need not run.
#pragma once

#include <cstdlib>
#include <type_traits>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace futurerand_mutation {

inline constexpr int kMostMutants = 1 << 16;
inline int chosen = 0;
inline bool recording = false;
// A byte for each mutant: what became of it so far. The larger one counts.
enum Mark : unsigned char { kUnreached, kAbsent, kSame, kDiffers };
inline unsigned char unseen[kMostMutants] = {};
inline unsigned char* reached = unseen;

// Before any other static object, whose initialization may be mutated. The file is shared memory,
// so that what forked children reach counts, however they end.
[[gnu::constructor(101)]] inline void choose() {
  if (const char* mutant = std::getenv("MUTANT")) chosen = std::atoi(mutant);
  const char* path = std::getenv("MUTATION_REACHED");
  if (path == nullptr || reached != unseen) return;
  const int file = ::open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0 || ::ftruncate(file, kMostMutants) != 0) std::abort();
  void* memory = ::mmap(nullptr, kMostMutants, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) std::abort();
  reached = static_cast<unsigned char*>(memory);
  recording = true;
}

inline void mark(int id, Mark what) {
  if (recording && reached[id] < what) reached[id] = what;
}
constexpr bool on(int id, bool differs = true) {
  if (std::is_constant_evaluated()) return false;
  mark(id, differs ? kDiffers : kSame);
  return chosen == id;
}
// There is no such mutant: the operands do not have the other operator.
constexpr void absent(int id) {
  if (!std::is_constant_evaluated()) mark(id, kAbsent);
}

constexpr bool recording_now() { return !std::is_constant_evaluated() && recording; }

// What may be computed twice: comparisons (the tags up to 6), and arithmetic of built-in numbers.
template <typename T>
inline constexpr bool kIsNumber = std::is_arithmetic_v<std::remove_cvref_t<T>>;
template <int tag, typename A, typename B>
inline constexpr bool kIsPure = tag <= 6 || (kIsNumber<A> && kIsNumber<B>);

template <int id, int op>
struct Binary {};
template <typename A, int id, int op>
struct Left {
  A&& a;
};
template <typename B, int id, int op>
struct Right {
  B&& b;
};

// Numbers of Boost come as expressions, of another type for each operator: their value is taken.
template <typename T>
struct ValueOf {
  using Type = T;
};
template <typename T>
requires requires { typename T::result_type; }
struct ValueOf<T> {
  using Type = typename T::result_type;
};

#define FUTURERAND_BINARY(tag, op, other)                                                  \
  template <typename A, int id>                                                            \
  constexpr Left<A, id, tag> operator op(A&& a, Binary<id, tag>) {                         \
    return {std::forward<A>(a)};                                                           \
  }                                                                                        \
  template <typename A, int id, typename B>                                                \
  constexpr auto operator op(Left<A, id, tag> left, B&& b) {                               \
    using Result = std::decay_t<decltype(std::forward<A>(left.a) op std::forward<B>(b))>;  \
    using Value = typename ValueOf<Result>::Type;                                          \
    if constexpr (requires { Value(std::forward<A>(left.a) other std::forward<B>(b)); }) { \
      bool differs = true;                                                                 \
      if constexpr (kIsPure<tag, A, B> &&                                                  \
                    requires { Value(left.a op b) != Value(left.a other b); }) {           \
        if (recording_now()) differs = Value(left.a op b) != Value(left.a other b);        \
      }                                                                                    \
      if (on(id, differs)) return Value(std::forward<A>(left.a) other std::forward<B>(b)); \
    } else {                                                                               \
      absent(id);                                                                          \
    }                                                                                      \
    return Value(std::forward<A>(left.a) op std::forward<B>(b));                           \
  }
FUTURERAND_BINARY(1, <, <=)
FUTURERAND_BINARY(2, <=, <)
FUTURERAND_BINARY(3, >, >=)
FUTURERAND_BINARY(4, >=, >)
FUTURERAND_BINARY(5, ==, !=)
FUTURERAND_BINARY(6, !=, ==)
FUTURERAND_BINARY(7, +, -)
FUTURERAND_BINARY(8, -, +)
FUTURERAND_BINARY(9, *, +)
FUTURERAND_BINARY(10, /, *)
FUTURERAND_BINARY(11, %, +)
FUTURERAND_BINARY(12, <<, >>)
FUTURERAND_BINARY(13, >>, <<)
FUTURERAND_BINARY(14, &, |)
FUTURERAND_BINARY(15, |, &)
FUTURERAND_BINARY(16, ^, &)
#undef FUTURERAND_BINARY

// Assignments associate to the right: a += (Binary += b).
#define FUTURERAND_ASSIGNMENT(tag, op, other)                       \
  template <int id, typename B>                                     \
  constexpr Right<B, id, tag> operator op(Binary<id, tag>, B&& b) { \
    return {std::forward<B>(b)};                                    \
  }                                                                 \
  template <typename A, int id, typename B>                         \
  constexpr A& operator op(A& a, Right<B, id, tag> right) {         \
    if constexpr (requires { a other std::forward<B>(right.b); }) { \
      bool differs = true;                                          \
      if constexpr (kIsNumber<A> && kIsNumber<B>) {                 \
        if (recording_now()) {                                      \
          A ours = a, theirs = a;                                   \
          ours op right.b;                                          \
          theirs other right.b;                                     \
          differs = ours != theirs;                                 \
        }                                                           \
      }                                                             \
      if (on(id, differs)) {                                        \
        a other std::forward<B>(right.b);                           \
        return a;                                                   \
      }                                                             \
    } else {                                                        \
      absent(id);                                                   \
    }                                                               \
    a op std::forward<B>(right.b);                                  \
    return a;                                                       \
  }
FUTURERAND_ASSIGNMENT(17, +=, -=)
FUTURERAND_ASSIGNMENT(18, -=, +=)
FUTURERAND_ASSIGNMENT(19, *=, +=)
FUTURERAND_ASSIGNMENT(20, /=, *=)
FUTURERAND_ASSIGNMENT(21, |=, &=)
FUTURERAND_ASSIGNMENT(22, &=, |=)
FUTURERAND_ASSIGNMENT(23, ^=, |=)
FUTURERAND_ASSIGNMENT(24, >>=, <<=)
#undef FUTURERAND_ASSIGNMENT

// `!x`, `-x` and `~x` become `Not<17>() ->* x`, which binds as tightly as it has to. The mutant is
// x.
template <int id>
struct Not {};
template <int id, typename X>
constexpr bool operator->*(Not<id>, const X& x) {
  return static_cast<bool>(x) == on(id);
}
template <int id>
struct Minus {};
template <int id, typename X>
constexpr auto operator->*(Minus<id>, const X& x) {
  using Value = typename ValueOf<std::decay_t<decltype(-x)>>::Type;
  return on(id) ? Value(x) : Value(-x);
}
template <int id>
struct Complement {};
template <int id, typename X>
constexpr auto operator->*(Complement<id>, const X& x) {
  return on(id) ? static_cast<decltype(~x)>(x) : ~x;
}

// A condition, `if (x)`, becomes `if (Condition<17>() ->* x)`. The mutant is !x.
template <int id>
struct Condition {};
template <int id, typename X>
constexpr bool operator->*(Condition<id>, const X& x) {
  return static_cast<bool>(x) != on(id);
}

// `a && b` becomes `a && And<17>() | b`, since | binds tighter than && and looser than all that b
// can be. Mutant 17 leaves b out; mutant 18 puts the other constant in its place.
template <int id>
struct And {};
template <int id, typename B>
constexpr bool operator|(And<id>, const B& b) {
  const bool value = static_cast<bool>(b);
  bool left_out = on(id, !value),
       other = on(id + 1, value);  // const would be a constant expression
  return (value || left_out) && !other;
}
template <int id>
struct Or {};
template <int id, typename B>
constexpr bool operator|(Or<id>, const B& b) {
  const bool value = static_cast<bool>(b);
  bool left_out = on(id, value), other = on(id + 1, !value);
  return (value && !left_out) || other;
}

// `x ? b : c` becomes `x || Flip<17>() ? b : c`: nothing binds looser. The mutant is !x.
template <int id>
struct Flip {};
template <typename X, int id>
constexpr bool operator||(const X& x, Flip<id>) {
  return static_cast<bool>(x) != on(id);
}

}  // namespace futurerand_mutation
