import { POWERS } from '../identity/srp/suite.ts';

/** Makes what takes a second to make, OpenSSL's group for sign-ins by password, before somebody waits for it. */
export async function warmUp(): Promise<void> {
  await POWERS.power(1n);
}
