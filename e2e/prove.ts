/** Test options of one case out of many: `npm test` runs the cases in the gate, `npm run prove` runs all of them. */
export const proveUnless = (isInGate: boolean): { tag?: string } => (isInGate ? {} : { tag: '@prove' });

/** Whether figures that depend on the speed of the machine are asserted: in `npm run prove` only. */
export const ASSERTS_SPEED = Boolean(process.env.PROVE);

/**
 * Time limit of an assertion, in milliseconds: the promised one in `npm run prove`. In `npm test` at least 15 s, because
 * a shared machine stalls for seconds.
 */
export const promised = (ms: number): number => (ASSERTS_SPEED ? ms : Math.max(15_000, 3 * ms));
