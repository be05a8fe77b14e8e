/** The emulator's time: real time plus an offset that only grows, so that trials end and periods renew on demand. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Whole seconds since 1970, as Stripe counts. */
  nowSeconds(): number;
  /** How far ahead of real time, in milliseconds. */
  readonly offsetMs: number;
  /** Moves forward by this many milliseconds; throws `RangeError` on a negative or non-finite span. */
  advance(spanMs: number): void;
  /** Moves forward to this instant (ms since 1970); throws `RangeError` when it lies in the emulator's past. */
  set(instantMs: number): void;
}

export function createClock(offsetMs: () => number, setOffsetMs: (value: number) => void): Clock {
  const now = () => Date.now() + offsetMs();
  const advance = (spanMs: number) => {
    if (!Number.isFinite(spanMs) || spanMs < 0) throw new RangeError('The clock only moves forward');
    setOffsetMs(offsetMs() + spanMs);
  };
  return {
    now,
    nowSeconds: () => Math.floor(now() / 1000),
    get offsetMs() {
      return offsetMs();
    },
    advance,
    set: (instantMs) => advance(instantMs - now()),
  };
}
