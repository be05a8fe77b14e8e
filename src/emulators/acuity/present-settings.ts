import type { Call } from './call.ts';
import type { AppointmentType } from './state.ts';

/** `GET /me` */
export function presentMe({ account, world }: Call) {
  const schedulingPage = `${world.baseUrl}/schedule.php?owner=${account.userId}`;
  return {
    id: Number(account.userId),
    email: account.email,
    timezone: account.timezone,
    firstDayOfWeek: 0,
    timeFormat: 'ampm',
    currency: 'USD',
    schedulingPage,
    embedCode: `<iframe src="${schedulingPage}" width="100%" height="800"></iframe>`,
    plan: account.plan,
    name: account.name,
    description: '',
  };
}

/** `GET /appointment-types`; deleted types only with `includeDeleted`. */
export function presentTypes(call: Call, includeDeleted: boolean) {
  return call.account.types.filter(({ deleted }) => includeDeleted || !deleted).map((type) => presentType(call, type));
}

function presentType({ account, world }: Call, type: AppointmentType) {
  const { id, name, active, description, duration, price, category, color, calendarIDs, addonIDs } = type;
  return {
    id,
    name,
    active,
    description,
    duration,
    price,
    category,
    color,
    private: type.private,
    type: type.kind,
    classSize: type.classSize,
    paddingAfter: type.paddingAfter,
    paddingBefore: type.paddingBefore,
    calendarIDs,
    addonIDs,
    formIDs: account.forms.filter((form) => form.appointmentTypeIDs.includes(id)).map((form) => form.id),
    image: type.image,
    schedulingUrl: `${world.baseUrl}/schedule.php?owner=${account.userId}&appointmentType=${id}`,
  };
}

/** `GET /calendars` */
export const presentCalendars = ({ account }: Call) =>
  account.calendars.map(({ id, name, email, description, location, timezone, image }) => ({
    id,
    name,
    email,
    replyTo: email,
    description,
    location,
    timezone,
    // URLs without a scheme; empty without an image.
    thumbnail: image,
    image,
  }));
