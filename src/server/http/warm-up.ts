import type { Services } from '../core/context.ts';

/** Makes what takes a second to make, OpenSSL's group for sign-ins by password, before somebody waits for it. */
export async function warmUp(services: Services): Promise<void> {
  await services.identity.srp.power(1n);
}
