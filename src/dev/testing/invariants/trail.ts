import type { Route } from '#contract/routes.ts';
import { readsOf } from '#server/router.ts';
import type { RestResponse } from '../rest-client.ts';
import type { Sample, Target } from '../samples/sample.ts';
import { patientsOf, type StoredEntry } from '../stored-entries.ts';
import type { Principal } from './route-access.ts';

type RequestResult = {
  route: Route;
  sample: Sample;
  principal: Principal;
  response: RestResponse;
  target: Target;
};
/** Values of the samples' records, which no entry may hold. */
const VALUES = /\b(Ada|Foreign|Visit|Rowan)\b|@example\.test/;

const OF_EVENTS = new Set(['Event', 'WebhookEndpoint']);

const actsFor = (principal: Principal) => principal === 'patient' || principal === 'other patient';

/** Checks the audit entries that one request left. @returns the first fault, or null */
export function auditTrailViolation(entries: StoredEntry[], result: RequestResult): string | null {
  const { route, principal, response } = result;
  const reads = readsOf(route.procedure);
  if (!reads) return `${route.procedure} does not say what it reads`;
  const { status } = response;
  if (entries.some((entry) => VALUES.test(JSON.stringify(entry)))) return 'an entry holds a value';
  if (status === 401) return entries.length === 0 ? null : 'an unauthenticated request left an entry';
  if (entries.some(({ address }) => !address)) return 'an entry does not say from where';
  // An invalid request reached no patient's data.
  if (status === 400 || status === 422) return null;
  if (reads.of === 'none') {
    // Changes to the whole clinic are logged too.
    const isNoted = actsFor(principal) || route.method !== 'GET';
    const wanted = isNoted && status < 300 ? 1 : 0;
    return entries.length === wanted ? null : `${entries.length} entries, not ${wanted}`;
  }
  // An event feed response without patient events is not logged.
  const isQuiet =
    OF_EVENTS.has(reads.object) && status === 200 && [response.body].flat().every((row) => !row.patient_id);
  if (entries.length === 0) return isQuiet ? null : 'no entry';
  const wrong = entries.find((entry) => !isBy(principal, entry));
  if (wrong) return `an entry of ${principal} names ${wrong.actor_type} on behalf of ${wrong.on_behalf_of}`;
  return status >= 400 ? violationOnError(entries, result) : violationOnSuccess(entries, result);
}

function isBy(principal: Principal, { actor_type, on_behalf_of, application_id }: StoredEntry): boolean {
  if (application_id === null) return false;
  if (actsFor(principal)) return actor_type === 'Application' && on_behalf_of !== null;
  return on_behalf_of === null && actor_type === (/patient/.test(principal) ? 'Patient' : 'Application');
}

function violationOnError(entries: StoredEntry[], { route, sample, target, response }: RequestResult): string | null {
  const [entry] = entries;
  if (entries.length > 1) return `${entries.length} entries of one rejected request`;
  const { code } = response.body.errors[0];
  if (entry!.outcome !== code) return `the entry says ${entry!.outcome}, the response ${code}`;
  if (sample.kind === 'open' || sample.kind === 'self') return null;
  const isNamed = patientsOf(entry!).includes(target.patientId);
  const id = {
    Subscription: target.subscriptionId,
    Payment: target.paymentId,
    Appointment: target.appointmentId,
    Event: target.eventId,
    Task: target.taskId,
    WebhookEndpoint: target.webhookId,
  }[entry!.object_type];
  const isAbout =
    sample.kind === 'object' &&
    /\{(subscription_)?id\}/.test(route.path) &&
    [id, target.unmatchedId].includes(entry!.object_id);
  return isNamed || isAbout || id === 'sub_absent' ? null : 'the entry does not say what was rejected';
}

function violationOnSuccess(entries: StoredEntry[], { route, response }: RequestResult): string | null {
  if (route.method === 'GET' && entries.length > 1) return `${entries.length} entries of one read`;
  if (entries.some(({ outcome }) => outcome !== null)) return 'an entry says that it was rejected';
  const rows: { id: string; patient_id?: string | null }[] = [response.body].flat().filter(Boolean);
  const shown = rows.flatMap(({ id, patient_id }) =>
    patient_id === undefined ? [id] : patient_id === null ? [] : [patient_id],
  );
  const named = new Set(entries.flatMap(patientsOf));
  const missing = shown.find((id) => !named.has(id));
  return missing ? `${missing} was shown, and no entry says so` : null;
}
