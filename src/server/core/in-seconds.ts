/** Formats `1 second`, `30 seconds`. */
export const inSeconds = (count: number): string => `${count} ${count === 1 ? 'second' : 'seconds'}`;
