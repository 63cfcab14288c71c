// Captions: numbers with their nouns, and the sentences shown beside figures.
#pragma once

#include <cstdint>
#include <string>

namespace futurerand {

// Writes 1 as "1 trial", 20 as "20 trials", 100000 as "100,000 trials".
std::string counted(std::uint64_t number, const std::string& noun);

// Writes 1234567 as 1,234,567, rounded to the unit.
std::string with_commas(double value);

// Writes "5 s", "12 min", "3 h" or "4 days": one unit, rounded, for how long something will take.
std::string duration_text(double seconds);

// What a cap on transcripts does, as words that follow "capped: ", given by how many devices it
// changes the newest period at most (estimator/answer.hpp).
std::string cap_in_words(double bias);

}  // namespace futurerand
