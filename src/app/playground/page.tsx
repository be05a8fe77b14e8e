import { notFound } from 'next/navigation';
import { Playground } from '#examples/playground/playground.tsx';
import { onlyClinicTokens } from '#server/http/only-clinic.ts';
import { services } from '#server/http/services.ts';
import { readSteps } from './read-steps.ts';

export const metadata = { title: 'Playground', referrer: 'no-referrer' };

export default async function Page() {
  if (services().config.environment !== 'sandbox') notFound();
  const clinic = await onlyClinicTokens(services());
  return <Playground code={readSteps()} clinic={clinic} />;
}
