// Questions about habits: what people do again and again changes too often for a small number of changes. The command
// `futurerand metric create` warns of the same questions (apps/commands/habit.cpp); tests/data/habits.json has examples.

const often = [
  /\b(today|tonight|yesterday|daily|nightly|hourly|weekly)\b/,
  /\b(every|each|per|a|this|last) (hour|day|morning|evening|night|week|weekend)\b/,
  /\b(last|past) \d+ (minutes|hours|days|weeks)\b/,
  /\b(right|just) now\b/,
];

/** Whether the question sounds like something that people do again and again. */
export const soundsLikeHabit = (question: string) => often.some((words) => words.test(question.toLowerCase()));

/** A habit may change from any period to the next. */
export const isTooFew = (changes: number, periods: number) => changes < periods / 4;
