#include "futurerand/collector/api/sums.hpp"

namespace futurerand {

std::vector<ViewSumsDocument> documents_of(const Plan& plan, const Sums& sums) {
  std::vector<ViewSumsDocument> documents;
  for (std::uint32_t view = 0; view < sums.num_views(); ++view) {
    ViewSumsDocument& document = documents.emplace_back();
    document.order = plan.views[view].order;
    const Schedule schedule(plan.views[view], plan.num_periods);
    for (std::uint32_t index = 1; index <= sums.num_indices(view); ++index) {
      const IndexSum& at = sums.at(view, index);
      document.sums.push_back(at.sum);
      document.counts.push_back(at.count);
      if (schedule.may_be_silent) document.spoken.push_back(at.spoken);
      if (schedule.draws_start())
        document.snapshot_devices.push_back(sums.snapshot_devices(view, index));
    }
    for (Period t = 1; t <= plan.num_periods; ++t) {
      document.enrolled.push_back(sums.enrolled_in(view, t));
    }
  }
  return documents;
}

ApiResponse sums_response(const MetricSnapshot& metric, Period current) {
  const MetricDefinition& definition = *metric.definition;
  return json_response(to_json(SumsDocument{definition.name, current, metric.devices,
                                            documents_of(definition.plan, metric.sums)}));
}

}  // namespace futurerand
