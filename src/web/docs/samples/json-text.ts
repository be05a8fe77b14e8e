/** Indented JSON, with an array of one scalar value on one line. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(/\[\s+("(?:[^"\\]|\\.)*"|-?[\d.]+)\s+\]/g, '[$1]');
