import { acuityError } from './errors.ts';
import { rejectUnknown, textOf, type Values } from './params.ts';
import type { Account, Client } from './state.ts';

const ATTRIBUTES = ['firstName', 'lastName', 'phone', 'email', 'notes'] as const;

/** Lists clients whose name, phone or email contains the text. */
export function listClients({ clients }: Account, query: Values): Client[] {
  rejectUnknown(query, ['search']);
  const search = textOf(query, 'search').toLowerCase();
  return clients.filter((client) =>
    [`${client.firstName} ${client.lastName}`, client.phone, client.email].some((text) =>
      text.toLowerCase().includes(search),
    ),
  );
}

export function createClient(account: Account, values: Values): Client {
  const client = { firstName: '', lastName: '', phone: '', email: '', notes: '', ...readClient(values) };
  if (!client.firstName) throw acuityError('required_first_name');
  if (!client.lastName) throw acuityError('required_last_name');
  account.clients.push(client);
  return client;
}

export const updateClient = (account: Account, query: Values, values: Values): Client =>
  Object.assign(findClient(account, query), readClient(values));

export function deleteClient(account: Account, query: Values): void {
  account.clients.splice(account.clients.indexOf(findClient(account, query)), 1);
}

/** Stores the client of an appointment, or updates the email of an existing client. */
export function upsertClient(account: Account, client: Omit<Client, 'notes'>): void {
  const existing = account.clients.find((each) => isSame(each, client));
  if (existing) existing.email = client.email;
  else account.clients.push({ ...client, notes: '' });
}

/** Finds a client by first name, last name and phone in the query; Acuity's clients have no id. */
function findClient(account: Account, query: Values): Client {
  rejectUnknown(query, ['firstName', 'lastName', 'phone']);
  const identity = { firstName: '', lastName: '', phone: '', ...readClient(query) };
  const client = account.clients.find((each) => isSame(each, identity));
  if (!client) throw acuityError('client_not_found');
  return client;
}

type Identity = Pick<Client, 'firstName' | 'lastName' | 'phone'>;

const isSame = (a: Identity, b: Identity) =>
  a.firstName === b.firstName && a.lastName === b.lastName && a.phone === b.phone;

function readClient(values: Values): Partial<Client> {
  rejectUnknown(values, ATTRIBUTES);
  return Object.fromEntries(ATTRIBUTES.filter((name) => name in values).map((name) => [name, textOf(values, name)]));
}
