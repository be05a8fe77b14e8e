import { NO_TENANT } from '#server/core/ids.ts';
import { type Context, contextFor, type Services } from '../../../core/context.ts';
import { mailboxOf, personKey } from '../../verification/person.ts';

/**
 * Context for counting portal sign-in attempts and resets. An email may work for several clinics or none, which must
 * not be revealed, so the counters belong to no tenant.
 */
export const portalContext = (services: Services): Context =>
  contextFor(services, { kind: 'visitor', tenantId: NO_TENANT });

/** The key of an email's owner in counters; separate from that of patients. */
export const staffAddress = (email: string): string => `staff:${email}`;
export const staffPerson = (portal: Context, email: string): string => personKey(portal, staffAddress(email));
/** The key under which messages to the email are counted. */
export const staffMailbox = (portal: Context, email: string): string =>
  personKey(portal, mailboxOf(staffAddress(email)));
