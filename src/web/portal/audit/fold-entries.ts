import type { AuditEntryView } from '#contract/audit.ts';
import { isAboutPatient, isList, isRead } from './action-texts.ts';

/** Entries that the page shows as one row. */
export type AuditRow = {
  /** The id of its latest entry, which stays the same when older entries are loaded. */
  id: string;
  /** The entry that says most. */
  lead: AuditEntryView;
  /** The latest first. */
  entries: AuditEntryView[];
  /** Of a page of lists: how many patients they showed. */
  lists: { patients: number; isAtLeast: boolean } | null;
};

/** A page asks for its data within seconds; two pages that are opened one after the other are further apart. */
const MAX_GAP_MS = 5000;
const MAX_SPAN_MS = 30_000;
/** Lists of several patients have nothing in common but the moment. */
const MAX_LISTS_GAP_MS = 2000;

/** Reads that open a record, the most telling first. */
const OPENINGS = [
  'patients.get',
  'patients.get_own',
  'appointments.get',
  'subscriptions.get',
  'payments.get',
  'timeline.list',
];
/** An older read than this one is no part of the same opening. */
const isChartOpening = ({ action }: AuditEntryView) => action === 'patients.get' || action === 'patients.get_own';

/**
 * Reads of one request, or of several close to each other: about one patient, or lists that showed any number.
 * `isVague`: only lists, which happened to show one patient.
 */
type Group = { entries: AuditEntryView[]; patient: string | null; isVague: boolean; isClosed: boolean };

const actorOf = ({ actor, on_behalf_of, device, address }: AuditEntryView) =>
  JSON.stringify([actor.type, actor.id, on_behalf_of?.id, device, address]);
const patientOf = ({ patients, patient_count }: AuditEntryView) =>
  patient_count === 1 ? (patients[0]?.id ?? null) : null;
const timeOf = ({ at }: AuditEntryView) => Date.parse(at);
const firstOf = ({ entries }: Group) => entries[0] as AuditEntryView;
const lastOf = ({ entries }: Group) => entries.at(-1) as AuditEntryView;

/** Whether an entry may share a row: a read that succeeded, of one patient or of a list. */
const isFoldable = (entry: AuditEntryView): boolean =>
  entry.outcome === 'done' && (isList(entry.action) || (isAboutPatient(entry.action) && patientOf(entry) !== null));

/**
 * Folds entries, the latest first, into rows, so that an opened page is one row. Only reads are folded: by the same actor
 * with the same device and address, within a moment. A row is about one patient, or holds the lists of one page. A change
 * of the patient in between ends a row, and so does the opening of the chart, before which nothing belongs to it.
 */
export function foldEntries(entries: readonly AuditEntryView[]): AuditRow[] {
  const groups: Group[] = [];
  const openByActor = new Map<string, Group[]>();
  const requests = byRequest(entries);
  for (const entry of entries) {
    const actor = actorOf(entry);
    const open = (openByActor.get(actor) ?? []).filter((group) => isNear(group, entry));
    openByActor.set(actor, open);
    if (!isFoldable(entry)) {
      groups.push({ entries: [entry], patient: null, isVague: false, isClosed: true });
      if (!isRead(entry.action) && entry.outcome === 'done') endGroups(open, entry);
      continue;
    }
    const next = groupOf(entry, requests.get(requestOf(entry)) ?? [entry]);
    const group = open.find((one) => isSamePage(one, next, entry));
    if (group) join(group, next);
    else {
      groups.push(next);
      open.push(next);
    }
  }
  return groups.map(rowOf);
}

const requestOf = (entry: AuditEntryView) => `${actorOf(entry)}${entry.request_id}`;

function byRequest(entries: readonly AuditEntryView[]): Map<string, AuditEntryView[]> {
  const requests = new Map<string, AuditEntryView[]>();
  for (const entry of entries.filter(isFoldable)) {
    const same = requests.get(requestOf(entry));
    if (same) same.push(entry);
    else requests.set(requestOf(entry), [entry]);
  }
  return requests;
}

/**
 * Returns the group of one entry. A list that showed one patient is about them, unless its request asked for lists of
 * others, too, and for nothing else about this patient.
 */
function groupOf(entry: AuditEntryView, request: AuditEntryView[]): Group {
  const patient = patientOf(entry);
  const isPatients = (other: AuditEntryView) => patientOf(other) === patient;
  const isAmongOthers = isList(entry.action) && !request.every(isPatients);
  const isAbout =
    patient !== null && (!isAmongOthers || request.some((other) => isPatients(other) && !isList(other.action)));
  const isVague = isAbout && request.every((other) => isList(other.action));
  return { entries: [entry], patient: isAbout ? patient : null, isVague, isClosed: isChartOpening(entry) };
}

/** Whether an entry is close enough to a group. Also a closed one gets the rest of its last request. */
function isNear(group: Group, entry: AuditEntryView): boolean {
  const last = lastOf(group);
  if (last.request_id === entry.request_id) return true;
  const gap = Math.abs(timeOf(last) - timeOf(entry));
  return !group.isClosed && gap <= MAX_GAP_MS && Math.abs(timeOf(firstOf(group)) - timeOf(entry)) <= MAX_SPAN_MS;
}

function isSamePage(group: Group, next: Group, entry: AuditEntryView): boolean {
  if (group.patient !== null && group.patient === next.patient) return true;
  const isOfLists = (group.patient === null || group.isVague) && (next.patient === null || next.isVague);
  const isOne = group.patient === null || next.patient === null;
  if (!isOfLists || !isOne) return false;
  const last = lastOf(group);
  if (last.request_id === entry.request_id) return true;
  return isPerson(entry) && timeOf(last) - timeOf(entry) <= MAX_LISTS_GAP_MS;
}

/** A program may page through all patients in a moment; each of its requests has its own row. */
const isPerson = ({ actor, on_behalf_of }: AuditEntryView) =>
  on_behalf_of === null && !['Application', 'System'].includes(actor.type);

function join(group: Group, { entries: [entry], patient, isVague }: Group): void {
  if (!entry) return;
  group.entries.push(entry);
  group.patient = group.patient === patient ? patient : null;
  group.isVague &&= isVague;
  if (isChartOpening(entry)) group.isClosed = true;
}

/** A change ends the rows about its patients. */
function endGroups(open: Group[], { patients }: AuditEntryView): void {
  for (const group of open) if (patients.some(({ id }) => id === group.patient)) group.isClosed = true;
}

function rowOf(group: Group): AuditRow {
  const { entries, patient } = group;
  const lists = patient === null && entries.length > 1 ? countPatients(entries) : null;
  return { id: firstOf(group).id, lead: leadOf(entries), entries, lists };
}

/** The read that says most; of equal ones the first that happened. */
function leadOf(entries: AuditEntryView[]): AuditEntryView {
  const rank = ({ action }: AuditEntryView) => {
    const place = OPENINGS.indexOf(action);
    return place >= 0 ? place : OPENINGS.length + Number(isList(action));
  };
  return entries.reduce((lead, entry) => (rank(entry) <= rank(lead) ? entry : lead));
}

/** Counts each patient once. An entry names the first twenty only; then the number is a lower bound. */
function countPatients(entries: AuditEntryView[]): AuditRow['lists'] {
  const named = new Set(entries.flatMap(({ patients }) => patients.map(({ id }) => id)));
  const isAtLeast = entries.some(({ patients, patient_count }) => patient_count > patients.length);
  return { patients: Math.max(named.size, ...entries.map(({ patient_count }) => patient_count)), isAtLeast };
}
