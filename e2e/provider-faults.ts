import { readCard } from './card.ts';

type Provider = 'acuity' | 'stripe';
type Fault = { kind: string; match: { method: string; path: string; query?: Record<string, string> }; times?: number };

const faultsUrl = (provider: Provider) => `${new URL(readCard().emulators[provider]).origin}/_emulator/faults`;

/** Makes a provider fail as described, from its next request on. */
export async function addFault(provider: Provider, fault: Fault): Promise<void> {
  const response = await fetch(faultsUrl(provider), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fault),
  });
  if (!response.ok) throw new Error(`the emulator rejected the fault: ${response.status} ${await response.text()}`);
}

export async function clearFaults(provider: Provider): Promise<void> {
  await fetch(faultsUrl(provider), { method: 'DELETE' });
}
