import { readCard } from './card.ts';

type Provider = 'acuity' | 'stripe';
type Fault = { kind: string; match: { method: string; path: string; query?: Record<string, string> }; times?: number };

const at = (provider: Provider) => `${new URL(readCard().emulators[provider]).origin}/_emulator/faults`;

/** Makes a provider fail as described, from its next request on. */
export async function plantFault(provider: Provider, fault: Fault): Promise<void> {
  const response = await fetch(at(provider), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fault),
  });
  if (!response.ok) throw new Error(`the emulator refuses the fault: ${response.status} ${await response.text()}`);
}

export async function clearFaults(provider: Provider): Promise<void> {
  await fetch(at(provider), { method: 'DELETE' });
}
