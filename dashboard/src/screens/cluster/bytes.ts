const units = ["B", "kB", "MB", "GB", "TB"];

/** Says a size with three digits at most, in powers of a thousand. */
export function bytesInWords(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    ++unit;
  }
  const digits = unit === 0 || size >= 99.5 ? 0 : size >= 9.95 ? 1 : 2;
  return `${size.toFixed(digits)} ${units[unit]}`;
}
