import { CARE_ROLES } from '#contract/roles.ts';
import type { SchedulingConnection } from '#contract/scheduling.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { DAY, HOUR, SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, query } from '#server/core/db.ts';
import { invalidParameter } from '#server/core/errors.ts';
import { getSchedulingAccount, invalidateCatalogue, typeMisconfigured } from '#server/integrations/index.ts';
import { AVAILABILITY_TIMEOUT_MS, invalidateOffers, withTimeout } from '#server/mirror/index.ts';
import {
  isTypeGone,
  type OfferedType,
  type Priority,
  type ProviderCalendar,
  prioritiesUpTo,
  SchedulingError,
} from '#server/providers/scheduling-provider.ts';

/** Maximum age of the catalogue for ordinary reads. */
const TTL_MS = 60 * SECOND;
/** Maximum age for a booking, which depends on the provider's settings more than a list does. */
const BOOKING_TTL_MS = 15 * SECOND;
/** Maximum age for the second read, which finds what was created or corrected at the provider a moment ago. */
const SECOND_READ_MS = 2 * SECOND;
/** Maximum age of the stored settings while the provider is unreachable. */
const MAX_STALE_MS = 7 * DAY;
/**
 * Maximum time that a reader waits for newer settings while the provider is slow; then it gets those of the last hour.
 */
const READER_WAIT_MS = 2 * SECOND;
const SLOW_MS = HOUR;

export type BookableType = OfferedType;
export type Calendar = ProviderCalendar & { practitionerId: string | null; typeIds: number[] };
export type Catalogue = { types: OfferedType[]; calendars: Calendar[]; readAt: number };
type Loading = { turn: Priority; catalogue: Promise<Catalogue> };
export type CatalogueOfTenant = { catalogue?: Catalogue | undefined; loading?: Loading | undefined };
/** A type and those of its calendars that were requested. */
export type Offer = { catalogue: Catalogue; type: OfferedType; calendars: Calendar[] };

type Snapshot = { types: OfferedType[]; calendars: ProviderCalendar[] };

/**
 * Returns the bookable appointment types with their location fields, and the calendars, at most `maxAgeMs` old. Cached
 * in the process and in `provider_snapshots`; concurrent callers share one load per process, with one more for a
 * booking that would otherwise queue behind readers.
 */
export async function getCatalogue(
  ctx: Context,
  maxAgeMs = TTL_MS,
  turn: Priority = 'interactive',
): Promise<Catalogue> {
  const memory = ctx.catalogues;
  const entry = memory.get(ctx.tenantId) ?? {};
  memory.set(ctx.tenantId, entry);
  const age = ctx.clock.now().getTime() - (entry.catalogue?.readAt ?? Number.NEGATIVE_INFINITY);
  if (entry.catalogue && age < maxAgeMs) return entry.catalogue;
  const pending = entry.loading && prioritiesUpTo(turn).includes(entry.loading.turn) ? entry.loading : null;
  const { catalogue } = pending ?? startLoading(ctx, entry, maxAgeMs, turn);
  if (maxAgeMs < TTL_MS) return catalogue;
  return withTimeout(catalogue, READER_WAIT_MS).catch(async (error) => {
    const stored = error instanceof SchedulingError ? await readStoredCatalogue(ctx, SLOW_MS) : null;
    return stored ?? catalogue;
  });
}

function startLoading(ctx: Context, entry: CatalogueOfTenant, maxAgeMs: number, turn: Priority): Loading {
  const loading: Loading = {
    turn,
    catalogue: load(ctx, maxAgeMs, turn)
      .then(async (catalogue) => {
        // A load that started later finished first.
        if (entry.catalogue && entry.catalogue.readAt > catalogue.readAt) return entry.catalogue;
        if (practitionersKey(catalogue) !== practitionersKey(entry.catalogue))
          await reassignPractitioners(ctx, catalogue);
        entry.catalogue = catalogue;
        return catalogue;
      })
      .finally(() => {
        if (entry.loading === loading) entry.loading = undefined;
      }),
  };
  entry.loading = loading;
  return loading;
}

/**
 * True when the provider rejected a call because the cached settings are outdated; the next request reads them again.
 */
export async function invalidateIfOutdated(ctx: Context, error: unknown): Promise<boolean> {
  if (!isTypeGone(error)) return false;
  await invalidateCatalogue(ctx);
  return true;
}

async function load(ctx: Context, maxAgeMs: number, turn: Priority): Promise<Catalogue> {
  const now = ctx.clock.now();
  const id = snapshotOf(ctx);
  const row = await findSnapshot(ctx);
  const age = row ? now.getTime() - row.fetchedAt.getTime() : Number.POSITIVE_INFINITY;
  if (row && age < maxAgeMs) return build(ctx, row.data as Snapshot, row.fetchedAt);
  try {
    const { provider } = await getSchedulingAccount(ctx, turn);
    const data = await provider.offerings();
    const snapshot = { data: data as Prisma.InputJsonObject, fetchedAt: now };
    const { count } = await ctx.db.providerSnapshot.createMany({
      data: [{ ...id, ...snapshot }],
      skipDuplicates: true,
    });
    if (count === 0)
      await ctx.db.providerSnapshot.updateMany({ where: { ...id, fetchedAt: { lte: now } }, data: snapshot });
    if (row) await invalidateOffers(ctx, changesOf(row.data as Snapshot, data));
    return build(ctx, data, now);
  } catch (error) {
    if (!(error instanceof SchedulingError)) throw error;
    const stored = await readStoredCatalogue(ctx, MAX_STALE_MS);
    if (!stored) throw error;
    ctx.log.warn({ err: error.message }, "the provider's settings could not be read; the last known ones are used");
    return stored;
  }
}

/** Returns the stored settings, or null when they are older than `maxAgeMs` or invalidated. */
async function readStoredCatalogue(ctx: Context, maxAgeMs: number): Promise<Catalogue | null> {
  const row = await findSnapshot(ctx);
  const age = row ? ctx.clock.now().getTime() - row.fetchedAt.getTime() : Number.POSITIVE_INFINITY;
  return row && age <= maxAgeMs ? build(ctx, row.data as Snapshot, row.fetchedAt) : null;
}

const snapshotOf = ({ tenantId }: Context) => ({ tenantId, provider: SCHEDULING_PROVIDER.id, kind: 'offerings' });
const findSnapshot = (ctx: Context) => ctx.db.providerSnapshot.findFirst({ where: snapshotOf(ctx) });

/** Returns the types and calendars whose offer has changed, so that their stored availability is outdated. */
function changesOf(before: Snapshot, { types, calendars }: Snapshot): { typeIds: number[]; calendarIds: number[] } {
  const offers = ({ bookable, durationMinutes, paddingBeforeMinutes, paddingAfterMinutes, calendarIds }: OfferedType) =>
    JSON.stringify([bookable, durationMinutes, paddingBeforeMinutes, paddingAfterMinutes, calendarIds]);
  const offersBefore = new Map(before.types.map((type) => [type.id, offers(type)]));
  const zones = new Map(before.calendars.map(({ id, timeZone }) => [id, timeZone]));
  return {
    typeIds: types.filter((type) => offersBefore.get(type.id) !== offers(type)).map(({ id }) => id),
    calendarIds: calendars.filter(({ id, timeZone }) => zones.get(id) !== timeZone).map(({ id }) => id),
  };
}

const hasZone = ({ timeZone }: ProviderCalendar): boolean => timeZone !== '';

async function build(ctx: Context, { types, calendars }: Snapshot, readAt: Date): Promise<Catalogue> {
  const staff = await ctx.db.staffUser.findMany({
    where: {
      tenantId: ctx.tenantId,
      disabledAt: null,
      role: { in: [...CARE_ROLES] },
      email: { in: calendars.flatMap(({ emails }) => emails) },
    },
    select: { id: true, email: true },
  });
  const bookable = types.filter((type) => type.bookable);
  return {
    readAt: readAt.getTime(),
    types: bookable,
    // A calendar without a valid time zone has no days: nothing is offered on it, and a finding reports it.
    calendars: calendars.filter(hasZone).map((calendar) => ({
      ...calendar,
      practitionerId: staff.find(({ email }) => calendar.emails.includes(email.toLowerCase()))?.id ?? null,
      typeIds: bookable.flatMap(({ id, calendarIds }) => (calendarIds.includes(calendar.id) ? id : [])),
    })),
  };
}

/** Serializes the mapping from calendars to practitioners for comparison. */
const practitionersKey = (catalogue?: Catalogue): string | undefined =>
  catalogue && JSON.stringify(catalogue.calendars.map(({ id, practitionerId }) => [id, practitionerId]));

/**
 * Assigns upcoming appointments to the practitioner who has their calendar now. Those of a calendar without a
 * practitioner stay with the former one, who may have left, and are listed under them. An appointment with a pending
 * change is skipped, because that change reads the calendar too.
 */
async function reassignPractitioners({ db, tenantId, clock }: Context, { calendars }: Catalogue): Promise<void> {
  const now = clock.now();
  const owners = JSON.stringify(calendars.map(({ id, practitionerId }) => ({ id, owner: practitionerId })));
  await db.$executeRaw`
    with passed as (
      select a.id, c.owner from appointments a
      join jsonb_to_recordset(${owners}::jsonb) as c (id int, owner uuid) on c.id = a.calendar_id
      where a.tenant_id = ${tenantId}::uuid and a.status = 'scheduled' and a.start_at > ${now} and c.owner is not null
        and a.pending_change is null and a.practitioner_id is distinct from c.owner
      order by a.id for update of a skip locked)
    update appointments a set practitioner_id = passed.owner, updated_at = ${now} from passed
    where a.tenant_id = ${tenantId}::uuid and a.id = passed.id`;
}

/**
 * Returns the type and the calendars that offer it (one, when named).
 *
 * @throws 422 `invalid_parameter` pointing to the field.
 */
export async function findInCatalogue(
  ctx: Context,
  query: { appointment_type_id: number; calendar_id?: number | undefined },
  { maxAgeMs, turn }: { maxAgeMs?: number; turn?: Priority } = {},
): Promise<Offer> {
  const cached = findOffer(await getCatalogue(ctx, maxAgeMs, turn), query);
  if ('type' in cached) return cached;
  const refreshed = findOffer(await getCatalogue(ctx, SECOND_READ_MS, turn), query);
  if ('type' in refreshed) return refreshed;
  throw refreshed.error;
}

/**
 * The same for a client that waits for availability: accepts settings as old as availability may be, so that frequent
 * reads cost few calls.
 */
export const findOfferForReader = (
  ctx: Context,
  query: { appointment_type_id: number; calendar_id?: number | undefined },
): Promise<Offer> => {
  const maxAgeMs = Math.max(TTL_MS, ctx.config.scheduling.renewMs);
  return withTimeout(findInCatalogue(ctx, query, { maxAgeMs }), AVAILABILITY_TIMEOUT_MS);
};

function findOffer(
  catalogue: Catalogue,
  query: { appointment_type_id: number; calendar_id?: number | undefined },
): Offer | { error: Error } {
  const type = catalogue.types.find(({ id }) => id === query.appointment_type_id);
  if (!type) return { error: invalidParameter('appointment_type_id', 'There is no such appointment type.') };
  const offering = catalogue.calendars.filter(({ id }) => type.calendarIds.includes(id));
  if (query.calendar_id === undefined) return { catalogue, type, calendars: offering };
  const calendar = offering.find(({ id }) => id === query.calendar_id);
  if (calendar) return { catalogue, type, calendars: [calendar] };
  const exists = catalogue.calendars.some(({ id }) => id === query.calendar_id);
  const detail = exists ? `This calendar does not offer "${type.name}".` : 'There is no such calendar.';
  return { error: invalidParameter('calendar_id', detail) };
}

/**
 * Returns what is to be booked, with the id of the form field that takes the location.
 *
 * @throws 422 `integration_misconfigured` naming the type that lacks the field.
 */
export async function findBookable(
  ctx: Context,
  query: { appointment_type_id: number; calendar_id?: number | undefined },
): Promise<Offer & { fieldId: number }> {
  const turn = 'urgent';
  let offer = await findInCatalogue(ctx, query, { maxAgeMs: BOOKING_TTL_MS, turn });
  if (offer.type.locationFieldId === null)
    offer = await findInCatalogue(ctx, query, { maxAgeMs: SECOND_READ_MS, turn });
  const { locationFieldId: fieldId } = offer.type;
  if (fieldId === null) throw await typeMisconfigured(ctx, offer.type, null);
  return { ...offer, fieldId };
}

/** The account at the scheduling provider as last read. `calendarIds`: null while they are unknown. */
export type KnownAccount = {
  connection: SchedulingConnection;
  accountId: string | null;
  calendarIds: number[] | null;
};

/** Returns the stored state of the account, in one statement and without a provider call. */
export async function readKnownAccount({ db, tenantId }: Pick<Context, 'db' | 'tenantId'>): Promise<KnownAccount> {
  const [row] = await query<{ status: string; accountId: string | null; calendarIds: number[] | null }>(
    db,
    Prisma.sql`
    select i.status, i.account_id as "accountId",
      case when s.data is not null then array(
        select (c->>'id')::int from jsonb_array_elements(s.data->'calendars') c) end as "calendarIds"
    from integrations i
    left join provider_snapshots s on s.tenant_id = i.tenant_id and s.provider = i.provider and s.kind = 'offerings'
    where i.tenant_id = ${tenantId}::uuid and i.provider = ${SCHEDULING_PROVIDER.id}`,
  );
  if (!row) return { connection: 'never_connected', accountId: null, calendarIds: null };
  const { status, accountId, calendarIds } = row;
  return { connection: status === 'disconnected' ? 'disconnected' : 'connected', accountId, calendarIds };
}
