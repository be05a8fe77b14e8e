import { ConfigurationError } from '../errors.ts';

/** From the platform's generator; without one (React Native lacks it until a polyfill is loaded) nothing is safe to do. */
export function randomBytes(length: number): Uint8Array {
  if (typeof globalThis.crypto?.getRandomValues !== 'function')
    throw new ConfigurationError(
      'no_random_source',
      'crypto.getRandomValues is missing. In React Native, load react-native-get-random-values first.',
    );
  return globalThis.crypto.getRandomValues(new Uint8Array(length));
}
