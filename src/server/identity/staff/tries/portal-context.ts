import { NO_TENANT } from '#server/core/ids.ts';
import { type Context, contextFor, type Services } from '../../../core/context.ts';
import { mailboxOf, personKey } from '../../proving/person.ts';

/**
 * Where tries to sign in to the portal are counted, and resets: an e-mail may work for several clinics, or for none, which
 * nobody is told. So they stand under no clinic, all alike.
 */
export const portalContext = (services: Services): Context =>
  contextFor(services, { kind: 'visitor', tenantId: NO_TENANT });

/** By which counters know the owner of an e-mail; apart from patients'. */
export const staffAddress = (email: string): string => `staff:${email}`;
export const staffPerson = (portal: Context, email: string): string => personKey(portal, staffAddress(email));
/** Under whom messages to it are counted. */
export const staffMailbox = (portal: Context, email: string): string =>
  personKey(portal, mailboxOf(staffAddress(email)));
