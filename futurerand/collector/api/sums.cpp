#include "futurerand/collector/api/sums.hpp"

namespace futurerand {
namespace {

// Far beyond any population, and far from overflow when sums are added.
constexpr std::uint64_t kMaxImported = std::uint64_t{1} << 48;

// Of one stratum, or of all.
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
      if (schedule.may_be_zero) document.spoken.push_back(at.spoken);
      if (schedule.draws_start())
        document.snapshot_devices.push_back(sums.snapshot_devices(view, index));
    }
    for (Period t = 1; t <= plan.num_periods; ++t) {
      document.enrolled.push_back(sums.enrolled_in(view, t));
    }
  }
  return documents;
}

// Adds what the devices of one stratum sent.
Status add_stratum(const Plan& plan, const std::vector<ViewSumsDocument>& documents,
                   std::uint32_t stratum, Sums& sums) {
  if (documents.size() != sums.num_views()) return Error{"the sums do not have the plan's views"};
  for (std::uint32_t view = 0; view < sums.num_views(); ++view) {
    const ViewSumsDocument& document = documents[view];
    const Schedule schedule(plan.views[view], plan.num_periods);
    const std::size_t indices = schedule.num_indices;
    const auto wrong = [&](const std::string& what) {
      return Error{"the sums of view " + std::to_string(view) + " " + what};
    };
    if (document.order != plan.views[view].order || document.sums.size() != indices ||
        document.counts.size() != indices || document.enrolled.size() != plan.num_periods ||
        document.spoken.size() != (schedule.may_be_zero ? indices : 0) ||
        document.snapshot_devices.size() != (schedule.draws_start() ? indices : 0)) {
      return wrong("do not have the plan's shape");
    }
    for (const auto* numbers : {&document.counts, &document.enrolled, &document.snapshot_devices}) {
      for (const std::uint64_t number : *numbers) {
        if (number > kMaxImported) return wrong("are larger than any that were counted");
      }
    }
    sums.add_enrolled(view, document.enrolled, document.snapshot_devices, stratum);
    const std::vector<std::uint64_t> expected = sums.stratum(stratum).expected_reports(view);
    for (std::uint32_t index = 1; index <= indices; ++index) {
      const std::int64_t sum = document.sums[index - 1];
      const std::uint64_t count = document.counts[index - 1];
      const std::uint64_t spoken = schedule.may_be_zero ? document.spoken[index - 1] : count;
      const std::uint64_t size =
          sum < 0 ? 0 - static_cast<std::uint64_t>(sum) : static_cast<std::uint64_t>(sum);
      if (size > spoken || spoken > count || (spoken - size) % 2 != 0 ||
          count > expected[index - 1]) {
        return wrong("cannot be of its devices, at index " + std::to_string(index));
      }
      sums.add(view, index, {sum, count, spoken}, stratum);
    }
  }
  return {};
}

}  // namespace

SumsDocument document_of(const Plan& plan, const Sums& sums, const std::string& metric,
                         Period current, std::uint64_t devices) {
  SumsDocument document{metric, current, devices, documents_of(plan, sums)};
  for (std::uint32_t g = 0; g < plan.segments.values().size(); ++g) {
    document.segments.push_back({plan.segments.values()[g], documents_of(plan, sums.stratum(g))});
  }
  return document;
}

Result<Sums> sums_of(const Plan& plan, const SumsDocument& document) {
  Sums sums(plan);
  if (plan.segments.empty()) {
    if (!document.segments.empty()) return Error{"the sums have segments, and the plan has none"};
    const Status added = add_stratum(plan, document.views, 0, sums);
    return added ? Result<Sums>(std::move(sums)) : Result<Sums>(added.error());
  }
  const std::vector<std::string>& segments = plan.segments.values();
  if (document.segments.size() != segments.size()) {
    return Error{"the sums do not have the plan's segments"};
  }
  for (std::uint32_t g = 0; g < segments.size(); ++g) {
    const SegmentSumsDocument& one = document.segments[g];
    if (one.segment != segments[g]) return Error{"the sums do not have the plan's segments"};
    const Status added = add_stratum(plan, one.views, g, sums);
    if (!added) return Error{"segment " + segments[g] + ": " + added.error().message};
  }
  if (documents_of(plan, sums) != document.views) {
    return Error{"the sums of all segments are not the sums of the metric"};
  }
  return sums;
}

ApiResponse sums_response(const MetricSnapshot& metric, Period current, const std::string& as_of) {
  const MetricDefinition& definition = *metric.definition;
  SumsDocument document =
      document_of(definition.plan, metric.sums, definition.name, current, metric.devices);
  document.as_of = as_of;
  return json_response(to_json(document));
}

}  // namespace futurerand
