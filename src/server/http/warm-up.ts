import type { Services } from '../core/context.ts';

/** Computes OpenSSL's group for password sign-ins in advance, which takes a second that the first caller would wait. */
export async function warmUp(services: Services): Promise<void> {
  await services.identity.srp.power(1n);
}
