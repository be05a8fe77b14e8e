/** First and last instant of a local day (YYYY-MM-DD) on the reader's own clock, changes of clocks included. */
export function dayBounds(day: string): { start: string; end: string } {
  const start = new Date(`${day}T00:00:00`);
  const end = new Date(start);
  end.setDate(end.getDate() + 1);
  return { start: start.toISOString(), end: new Date(end.getTime() - 1).toISOString() };
}
