import { billingSamples } from './samples/billing.ts';
import { clinicSamples } from './samples/clinic.ts';
import { patientSamples } from './samples/patients.ts';
import type { Offer, Sample } from './samples/sample.ts';
import { visitSamples } from './samples/visits.ts';

/** A valid request for each public route. The authorisation test fails for a route that is missing here. */
export const sampleRequests = (offer: Offer): Record<string, Sample> => ({
  ...patientSamples,
  ...billingSamples(offer),
  ...visitSamples(offer),
  ...clinicSamples,
});
