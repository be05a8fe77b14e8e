import type { Config } from '../core/config.ts';
import { apiError } from '../core/errors.ts';

type Repair = { account: string; code: string; object: string | null; emails: string[] };

/**
 * Has a sandbox's Acuity emulator repair a misconfiguration. The service makes the call because the emulator rejects
 * requests from pages of another origin.
 * @throws `not_found` with the real Acuity, `conflict` with the emulator's own sentence when only a person can do it,
 * `provider_unavailable`
 */
export async function repairAtEmulator(
  { acuity, providerTimeoutMs }: Pick<Config, 'acuity' | 'providerTimeoutMs'>,
  repair: Repair,
): Promise<void> {
  if (!acuity.emulatorUrl) throw apiError('not_found', 'This is done in Acuity itself.');
  const response = await fetch(`${acuity.emulatorUrl}/_emulator/trigger`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'repair', ...repair }),
    redirect: 'error',
    signal: AbortSignal.timeout(providerTimeoutMs),
  }).catch(() => {
    throw apiError('provider_unavailable', 'The sandbox’s Acuity does not answer.');
  });
  if (response.ok) return;
  const { error } = (await response.json().catch(() => ({}))) as { error?: string };
  throw apiError('conflict', error ?? 'The sandbox’s Acuity could not put this right.');
}
