import type { Config } from '../core/config.ts';
import { refuse } from '../core/errors.ts';

export type Repair = { account: string; code: string; object: string | null; emails: string[] };

/**
 * In a sandbox, has the emulator that stands for Acuity put right what somebody broke there. 404 where it is Acuity itself;
 * 409 `conflict` with the emulator's own sentence where only a person can. The service makes the call, because the
 * emulator rejects requests from pages of another origin.
 */
export async function repairAtEmulator(
  { acuity, providerTimeoutMs }: Pick<Config, 'acuity' | 'providerTimeoutMs'>,
  repair: Repair,
): Promise<void> {
  if (!acuity.emulatorUrl) throw refuse('not_found', 'This is done in Acuity itself.');
  const answer = await fetch(`${acuity.emulatorUrl}/_emulator/trigger`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'repair', ...repair }),
    redirect: 'error',
    signal: AbortSignal.timeout(providerTimeoutMs),
  }).catch(() => {
    throw refuse('provider_unavailable', 'The sandbox’s Acuity does not answer.');
  });
  if (answer.ok) return;
  const { error } = (await answer.json().catch(() => ({}))) as { error?: string };
  throw refuse('conflict', error ?? 'The sandbox’s Acuity could not put this right.');
}
