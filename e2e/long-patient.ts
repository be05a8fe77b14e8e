import { type Api, randomSuffix } from './api.ts';

/** Eighty characters without a break opportunity. */
export const LONG = 'Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewissenhaftschaferswesen';

/** A patient with names, addresses and tags of maximum length, with subscriptions and an appointment. */
export async function createLongPatient(api: Api): Promise<{ id: string; last_name: string }> {
  const suffix = randomSuffix();
  const last_name = `${LONG.slice(0, 71)}-${suffix}`;
  const patient = await api.call<{ id: string }>('/patients', {
    first_name: LONG,
    last_name,
    email: `${LONG.slice(0, 60)}-${suffix}@patients.example.test`.toLowerCase(),
    phone_number: '+12025550123',
    external_id: `${LONG.slice(0, 71)}-${suffix}`,
    tag_list: [LONG, 'vip'],
    addresses_attributes: [{ line1: LONG, line2: LONG, city: LONG, state: LONG, zip: '62701', primary: true }],
  });
  await api.subscribe(patient.id, 'paid');
  await api.subscribe(patient.id, 'trial');
  await api.book(patient.id);
  return { id: patient.id, last_name };
}
