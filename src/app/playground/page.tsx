import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { notFound } from 'next/navigation';
import { Playground } from '#examples/playground/playground.tsx';
import { onlyClinicTokens } from '#server/http/only-clinic.ts';
import { services } from '#server/http/services.ts';

const SOURCES = path.join(process.cwd(), 'src');
const STEPS = path.join(SOURCES, 'examples/playground/steps');
/** The checkout page loads Stripe.js in the same way as any app. */
const SHARED = path.join(SOURCES, 'web/ui/stripe/load-stripe-js.ts');

/** Reads the playground's files, with the imports of an external app. */
export function readSteps(): Record<string, string> {
  const own = readdirSync(STEPS).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  return Object.fromEntries(
    [...own.map((file) => path.join(STEPS, file)), SHARED].map((file) => [
      path.basename(file, '.ts'),
      readFileSync(file, 'utf8').replaceAll('#sdk/index.ts', '@carelane/auth-sdk'),
    ]),
  );
}

export const metadata = { title: 'Playground', referrer: 'no-referrer' };

export default async function Page() {
  if (services().config.environment !== 'sandbox') notFound();
  const clinic = await onlyClinicTokens(services());
  return <Playground code={readSteps()} clinic={clinic} />;
}
