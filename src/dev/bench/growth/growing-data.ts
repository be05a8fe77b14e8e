import pg from 'pg';
import type { ListAppointmentsInput } from '#contract/scheduling.ts';
import { createAcuityEmulator } from '#emulators/acuity/index.ts';
import { listEntries } from '#server/audit/list-entries.ts';
import { listTimeline } from '#server/chart/list-timeline.ts';
import { readConfig } from '#server/core/config.ts';
import type { Context, Services } from '#server/core/context.ts';
import { listEvents } from '#server/events/list-events.ts';
import { listLatestEvents } from '#server/events/router.ts';
import { listPatients } from '#server/patients/list-patients.ts';
import { listAppointments } from '#server/scheduling/appointments/list-appointments.ts';
import { listAvailability } from '#server/scheduling/availability/list-availability.ts';
import { createServices } from '#server/services.ts';
import { migrateDatabase } from '../../../launcher/postgres/migrate-database.mjs';
import { prepareDatabase } from '../../../launcher/postgres/prepare-database.mjs';
import { asAdmin } from '../../testing/actors.ts';
import type { BenchSetup } from '../bench-setup.ts';
import type { Figures, Goal, Job } from '../job.ts';
import { connectClinic, dayAhead, TYPE } from '../times/connect-clinic.ts';
import { countBlocks } from './count-blocks.ts';
import { CALENDAR, CALENDARS, eventsOf, fillTenant, MIRRORED_DAYS, type Named } from './fill-tenant.ts';

const FEW = 'among 1k';
const SIZES = { [FEW]: 1_000, 'among 10k': 10_000, 'among 100k': 100_000, 'among 1M': 1_000_000 };
const PAGE_SIZE = 50;
const PAGE = 5_000;
const DAYS_OF_REQUEST = 7;
/** A lookup touches two blocks of the smallest index and its row's; an index of a million rows is one or two levels deeper. */
const MAX_GROWTH = 1.5;
/** To plan a statement, PostgreSQL looks up the ends of a few indexes, of up to four blocks each. */
const MORE_BLOCKS = 20;

type Clinic = Named & { ctx: Context; label: string; events: number; owner: pg.Client; stop(): Promise<void> };
type Operation = (clinic: Clinic) => Promise<{ items: unknown[] }>;

const size = PAGE_SIZE;
const availability = (ctx: Context, first: number, days: number) =>
  listAvailability(ctx, {
    appointment_type_id: TYPE,
    calendar_id: CALENDAR,
    from_date: dayAhead(first),
    to_date: dayAhead(first + days - 1),
  });

/** Those that the portal shows under All. */
const STATUSES: ListAppointmentsInput['status'] = ['scheduled', 'canceled', 'no_show'];

const LISTS: Record<string, Operation> = {
  'patients, first page': ({ ctx }) => listPatients(ctx, { size }),
  // The last page where there are fewer.
  'patients, page 5,000': ({ ctx, cursor }) => listPatients(ctx, { size, starting_after: cursor }),
  'appointments, first page': ({ ctx }) => listAppointments(ctx, { size }),
  'appointments, next first': ({ ctx }) => listAppointments(ctx, { size, sort_by: 'next', status: STATUSES }),
  'appointments, upcoming': ({ ctx }) => listAppointments(ctx, { size, period: 'upcoming', sort_by: 'from_date' }),
  'appointments, past': ({ ctx }) => listAppointments(ctx, { size, period: 'past' }),
  'appointments, past or canceled': ({ ctx }) => listAppointments(ctx, { size, period: 'past_or_canceled' }),
  'appointments, canceled or missed': ({ ctx }) => listAppointments(ctx, { size, status: ['canceled', 'no_show'] }),
  'events, first page': ({ ctx }) => listEvents(ctx, { size }),
  'events, last page': ({ ctx, events }) => listEvents(ctx, { size, after_sequence: events - size }),
  'events, latest in the portal': ({ ctx }) => listLatestEvents(ctx, { size }),
  'audit log, first page': ({ ctx }) => listEntries(ctx, { size }),
  'audit log of one patient': ({ ctx, patientId }) => listEntries(ctx, { size, patient_id: patientId }),
  'timeline of one patient': ({ ctx, patientId }) => listTimeline(ctx, { size: 30, patient_id: patientId }),
  'availability, one day': ({ ctx }) => availability(ctx, 2, 1),
  'availability, four weeks': async ({ ctx }) => {
    const items: unknown[] = [];
    for (let day = 0; day < MIRRORED_DAYS; day += DAYS_OF_REQUEST)
      items.push(...(await availability(ctx, 2 + day, DAYS_OF_REQUEST)).items);
    return { items };
  },
};

/**
 * A search reads lists of trigrams, and up to 2,000 matches in no order, before it knows its page. Its cost grows with the
 * matches up to there, so it has a bound instead of a growth.
 */
const SEARCHES: Record<string, Operation> = {
  'patients, a name of one': ({ ctx }) => listPatients(ctx, { size, search: 'Patient 0000123' }),
  'patients, a name of one in 20': ({ ctx }) => listPatients(ctx, { size, search: 'maple' }),
  'patients, one letter': ({ ctx }) => listPatients(ctx, { size, search: 'm' }),
  // Nothing matches exactly, so that names that are spelled nearly the same are found.
  'patients, a name misspelled': ({ ctx }) => listPatients(ctx, { size, search: 'patinet 0000123' }),
  'patients, date of birth and name': ({ ctx }) => listPatients(ctx, { size, search: '1950-01-05 0000004' }),
};

/** The plan may change with the size, so the most blocks need not be those of the largest. */
const flat = (name: string): Goal => ({
  words: `${name}, most : ${MAX_GROWTH} × 1k + ${MORE_BLOCKS}, at most 1`,
  of(medians) {
    const figures = medians[name]!;
    return Math.max(...Object.values(figures)) / (MAX_GROWTH * figures[FEW]! + MORE_BLOCKS);
  },
  holds: (part) => part <= 1,
});

const MOST_OF_SEARCH = 3_000;

const bounded = (name: string): Goal => ({
  words: `${name}, most blocks, at most ${MOST_OF_SEARCH}`,
  of: (medians) => Math.max(...Object.values(medians[name]!)),
  holds: (blocks) => blocks <= MOST_OF_SEARCH,
});

/**
 * How the cost of the main reads grows with the data of one tenant. Blocks, not times: nearly the same on any machine,
 * however busy; only parallel workers vary by a few. Each size has its own database.
 */
export const growingData: Job = {
  id: 'growth',
  // The figures of all repeats are the same.
  mostRepeats: 1,
  onlyWhenNamed: true,
  title: 'blocks touched by a read, by the number of patients and appointments; five events for each patient',
  async prepare(setup) {
    const emulator = await createAcuityEmulator({ rateLimit: false, log: () => {} }).start();
    const clinics: Clinic[] = [];
    const stop = async () => {
      for (const clinic of clinics) await clinic.stop();
      await emulator.stop();
    };
    try {
      for (const [n, [label, patients]] of Object.entries(SIZES).entries()) {
        const startedAt = performance.now();
        const clinic = await openClinic(setup, emulator.url, 930_000 + n, patients);
        clinics.push({ ...clinic, label });
        console.log(`  growth ${patients} patients, ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
      }
    } catch (error) {
      await stop();
      throw error;
    }
    return {
      sides: Object.entries({ ...LISTS, ...SEARCHES }).map(([name, operation]) => ({
        name,
        measure: () => measure(clinics, operation),
      })),
      goals: [...Object.keys(LISTS).map(flat), ...Object.keys(SEARCHES).map(bounded)],
      stop,
    };
  },
};

/** Creates and fills the tenant in its own database, which only this process uses. */
async function openClinic(
  setup: BenchSetup,
  emulatorUrl: string,
  userId: number,
  patients: number,
): Promise<Omit<Clinic, 'label'>> {
  const at = (url: string) => Object.assign(new URL(url), { pathname: `/carelane_growth_${patients}` }).href;
  const [ownerUrl, serviceUrl] = [at(setup.ownerUrl), at(setup.databaseUrl)];
  await prepareDatabase({ ownerUrl, serviceUrl });
  await migrateDatabase({ ownerUrl, serviceUrl });
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  const services = openServices({
    ...setup.settings,
    DATABASE_URL: serviceUrl,
    ACUITY_API_URL: `${emulatorUrl}/api/v1`,
    ACUITY_RENEW_SECONDS: '86400',
  });
  const stop = async () => {
    await services.close();
    await owner.end();
  };
  try {
    const { tenantId } = await connectClinic(services, emulatorUrl, userId, CALENDARS);
    const ctx = asAdmin(services, { id: tenantId });
    const named = await fillTenant(owner, ctx, { size: patients, page: PAGE, pageSize: PAGE_SIZE });
    return { ...named, ctx, events: eventsOf(patients), owner, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** One connection, so that PostgreSQL can be told when to report what a call touched. */
function openServices(settings: Record<string, string>): Services {
  const config = readConfig(settings);
  return createServices({ ...config, database: { ...config.database, poolSize: 1 } });
}

async function measure(clinics: Clinic[], operation: Operation): Promise<Figures> {
  const figures: Figures = {};
  for (const clinic of clinics) {
    const { items } = await operation(clinic);
    if (items.length === 0) throw new Error('a read found nothing');
    figures[clinic.label] = await countBlocks(clinic.owner, clinic.ctx.db, () => operation(clinic));
  }
  return figures;
}
