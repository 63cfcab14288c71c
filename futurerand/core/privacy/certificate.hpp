// The exact privacy certificate of a law's integers. A device checks it before joining, and a
// reviewer can recompute it. [OWW22] property I; sections 5.2 to 5.4 for why max P / min P covers
// whole sequences, online, and users with fewer changes.
#pragma once

#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/law/law.hpp"

namespace futurerand {

struct Certificate {
  bool certified;        // max P / min P <= e^epsilon, decided in integers, never in floats
  double exact_epsilon;  // ln(max P / min P); for display
  double gap;            // c, from the same integers; the server divides by it
};

// Fails if integers are out of range or carry no signal. A law that is not certified is no failure:
// the answer is "no".
Result<Certificate> certify(const Law& law, Epsilon epsilon);

}  // namespace futurerand
