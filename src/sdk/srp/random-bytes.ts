import { ConfigurationError } from '../errors.ts';

/**
 * Returns bytes from the platform's generator; throws without one (React Native needs a polyfill), because nothing
 * would be secure.
 */
export function randomBytes(length: number): Uint8Array {
  if (typeof globalThis.crypto?.getRandomValues !== 'function')
    throw new ConfigurationError(
      'no_random_source',
      'crypto.getRandomValues is missing. In React Native, load react-native-get-random-values first.',
    );
  return globalThis.crypto.getRandomValues(new Uint8Array(length));
}
