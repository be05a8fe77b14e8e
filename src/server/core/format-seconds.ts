/** Formats `1 second`, `30 seconds`. */
export const formatSeconds = (count: number): string => `${count} ${count === 1 ? 'second' : 'seconds'}`;
