/** The emulator's time: real time plus an offset that only grows. Tests advance it to end trials and renew periods. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Whole seconds since 1970, the unit of Stripe's timestamps. */
  nowSeconds(): number;
  /** Offset from real time, in milliseconds. */
  readonly offsetMs: number;
  /**
   * Moves the clock forward by `spanMs` milliseconds.
   * @throws RangeError when the span is negative or not finite
   */
  advance(spanMs: number): void;
  /**
   * Moves the clock forward to this instant (ms since 1970).
   * @throws RangeError when the instant is before the emulator's current time
   */
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
