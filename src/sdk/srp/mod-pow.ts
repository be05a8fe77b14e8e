const WINDOW_BITS = 4;

/**
 * `base ^ exponent mod modulus` with fixed windows: the number of squarings and products only depends on the exponent's
 * length.
 */
export function modPow(base: bigint, exponent: bigint, modulus: bigint): bigint {
  const powers = [1n];
  for (let digit = 1; digit < 2 ** WINDOW_BITS; digit++) powers.push((powers[digit - 1]! * base) % modulus);
  let result = 1n;
  // One hex digit is one window.
  for (const digit of exponent.toString(16)) {
    for (let bit = 0; bit < WINDOW_BITS; bit++) result = (result * result) % modulus;
    result = (result * powers[Number.parseInt(digit, 16)]!) % modulus;
  }
  return result;
}
