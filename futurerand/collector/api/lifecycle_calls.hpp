// LifecycleCalls: the calls that close, archive, delete, export and import metrics.
//
// Thread safety: all of it.
#pragma once

#include "futurerand/collector/api/metric_calls.hpp"
#include "futurerand/estimator/panels.hpp"

namespace futurerand {

// The document of exported_metric.hpp. `panels` are those of a metric without an end, else null.
ApiResponse export_response(const Snapshot& snapshot, const MetricSnapshot& metric, Period current,
                            const Panels* panels);

class LifecycleCalls {
 public:
  // Calls and writer outlive these.
  LifecycleCalls(MetricCalls& metrics, Say say, Intake& writer)
      : metrics_(metrics), say_(std::move(say)), writer_(writer) {}

  // Body: nothing, or {"closed":false} to reopen what an operator closed, until its devices are
  // erased.
  void close(const Call& call, const Respond& respond);
  // Body: nothing, or {"archived":false} to bring it back.
  void archive(const Call& call, const Respond& respond);
  // Body: {"candidates":["a","b"]}. Those that a text metric has not yet are added to its list.
  void add_candidates(const Call& call, const Respond& respond);
  // Body: {"date":"2026-11-12","text":"a note"}. Sets the note of this date; an empty text removes
  // it. Only while the metric is not closed.
  void annotate(const Call& call, const Respond& respond);
  void remove(const Call& call, const Respond& respond);
  // Body: what export gave. The metric is closed.
  void import(const Call& call, const Respond& respond);

 private:
  // Answers with the metric's document.
  void show(const std::string& name, int status, const Respond& respond);

  MetricCalls& metrics_;
  const Say say_;
  Intake& writer_;
};

}  // namespace futurerand
