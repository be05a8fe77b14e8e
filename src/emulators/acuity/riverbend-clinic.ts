import type { Account } from './state.ts';
import { WeeklyHoursInput } from './weekly-hours.ts';

type Clinic = Pick<
  Account,
  'name' | 'email' | 'timezone' | 'types' | 'calendars' | 'forms' | 'labels' | 'addons' | 'products' | 'coupons'
>;

const WEEKDAYS_9_TO_5 = WeeklyHoursInput.parse({
  monday: ['09:00-12:00', '13:00-17:00'],
  tuesday: ['09:00-12:00', '13:00-17:00'],
  wednesday: ['09:00-12:00', '13:00-17:00'],
  thursday: ['09:00-12:00', '13:00-17:00'],
  friday: ['09:00-12:00', '13:00-17:00'],
});

const EVERY_DAY = WeeklyHoursInput.parse({
  monday: ['08:00-12:00', '14:00-18:00'],
  tuesday: ['08:00-12:00', '14:00-18:00'],
  wednesday: ['08:00-12:00', '14:00-18:00'],
  thursday: ['08:00-12:00', '14:00-18:00'],
  friday: ['08:00-12:00', '14:00-18:00'],
  saturday: ['10:00-16:00'],
  sunday: ['10:00-16:00'],
});

/**
 * Builds a small fictional clinic: three practitioners, one in another time zone and one who works at weekends, so that
 * every day has free slots. `withWalkIn` adds a type without the `Location` form, which is a misconfiguration.
 */
export function riverbendClinic(newId: () => number, withWalkIn = false): Clinic {
  const calendar = (name: string, timezone: string, hours: Account['calendars'][number]['hours']) => ({
    id: newId(),
    name: `${name} Example`,
    email: `${name.toLowerCase()}.example@riverbend.example.test`,
    description: '',
    location: '',
    timezone,
    hours,
    image: '',
    subCalendarID: null,
  });
  const calendars = [
    calendar('Rowan', 'America/New_York', WEEKDAYS_9_TO_5),
    calendar('Juniper', 'America/New_York', EVERY_DAY),
    calendar('Alder', 'America/Chicago', WEEKDAYS_9_TO_5),
  ];

  const type = (name: string, duration: number, price: string, paddingAfter: number, color: string) => ({
    id: newId(),
    name,
    active: true,
    deleted: false,
    description: '',
    duration,
    price,
    category: 'Visits',
    color,
    private: false,
    paddingBefore: 0,
    paddingAfter,
    calendarIDs: calendars.map(({ id }) => id),
    addonIDs: [],
    kind: 'service' as const,
    classSize: null,
    image: '',
  });
  const mapped = [
    type('Initial consultation', 50, '120.00', 10, '#2F6F73'),
    type('Follow-up visit', 25, '60.00', 0, '#8A6FB0'),
    type('Medication review', 15, '40.00', 0, '#C27C3E'),
  ];

  return {
    name: 'Riverbend Clinic',
    email: 'front-desk@riverbend.example.test',
    timezone: 'America/New_York',
    calendars,
    types: withWalkIn ? [...mapped, type('Walk-in screening', 20, '0.00', 0, '#777777')] : mapped,
    forms: [
      {
        id: newId(),
        name: 'Location',
        description: 'Where the visit takes place. Internal.',
        hidden: true,
        appointmentTypeIDs: mapped.map(({ id }) => id),
        fields: [{ id: newId(), name: 'Location', required: false, type: 'textbox', options: null }],
      },
    ],
    labels: [{ id: newId(), name: 'Confirmed', color: 'green' }],
    addons: [],
    products: [
      {
        id: newId(),
        name: 'Five follow-up visits',
        description: 'To be used within a year.',
        price: '250.00',
        hidden: false,
        deleted: false,
        appointmentTypeIDs: [mapped[1]!.id],
        counts: 5,
        minutes: null,
        expiresInDays: 365,
      },
    ],
    coupons: [{ id: newId(), name: 'Welcome', appointmentTypeIDs: mapped.map(({ id }) => id), uses: 1 }],
  };
}
