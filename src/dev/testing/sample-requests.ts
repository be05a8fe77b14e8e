import { billingSamples } from './samples/billing.ts';
import { clinicSamples } from './samples/clinic.ts';
import { patientSamples } from './samples/patients.ts';
import type { Offer, Sample } from './samples/sample.ts';
import { visitSamples } from './samples/visits.ts';

/** A right request for each public route. A route that is not here has no test of who may call it. */
export const sampleRequests = (offer: Offer): Record<string, Sample> => ({
  ...patientSamples,
  ...billingSamples(offer),
  ...visitSamples(offer),
  ...clinicSamples,
});
