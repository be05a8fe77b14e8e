import { expect } from '@playwright/test';
import { readCard } from './card.ts';

type Mail = { subject: string; text: string; html?: string };

/** Waits for an email to an address and returns the newest; with `subject`, the newest with that subject. */
export async function awaitMail(address: string, subject?: string): Promise<Mail> {
  let newest: Mail | undefined;
  await expect(async () => {
    const query = new URLSearchParams({ to: address, kind: 'email' });
    const response = await fetch(`${readCard().emulators.inbox}/messages?${query}`);
    const mails = (await response.json()) as Mail[];
    newest = mails.find((mail) => subject === undefined || mail.subject === subject);
    expect(newest, `an email to ${address}`).toBeDefined();
  }).toPass({ timeout: 30_000 });
  return newest!;
}

/** Waits until an address has that many emails. */
export async function awaitMails(address: string, count: number): Promise<void> {
  await expect(async () => {
    const query = new URLSearchParams({ to: address, kind: 'email' });
    const response = await fetch(`${readCard().emulators.inbox}/messages?${query}`);
    expect((await response.json()) as Mail[], `emails to ${address}`).toHaveLength(count);
  }).toPass({ timeout: 30_000 });
}

/** Waits for a text message to a number since then, and returns the newest. */
export async function awaitText(number: string, since: string): Promise<string> {
  let newest: { text: string } | undefined;
  await expect(async () => {
    const query = new URLSearchParams({ to: number, kind: 'sms', since });
    const response = await fetch(`${readCard().emulators.inbox}/messages?${query}`);
    [newest] = (await response.json()) as { text: string }[];
    expect(newest, `a text to ${number}`).toBeDefined();
  }).toPass({ timeout: 30_000 });
  return newest!.text;
}

/** Waits for a message to an address or number since then, and returns the code of the newest. */
export async function awaitCode(to: string, since: string): Promise<string> {
  let code: string | undefined;
  await expect(async () => {
    const query = new URLSearchParams({ to, since });
    const response = await fetch(`${readCard().emulators.inbox}/messages?${query}`);
    const [newest] = (await response.json()) as { text: string }[];
    code = newest?.text.match(/\b(?:\d{6}|\d{10})\b/)?.[0];
    expect(code, `a code to ${to}`).toBeDefined();
  }).toPass({ timeout: 30_000 });
  return code!;
}

/** The first URL of an email. */
export function linkIn({ text }: Mail): string {
  const [link] = text.match(/https?:\/\/\S+/) ?? [];
  if (!link) throw new Error(`no link in: ${text}`);
  return link;
}

/** The temporary password of an invitation. */
export const temporaryPasswordIn = ({ text }: Mail): string =>
  text.match(/\b[a-z2-9]{4}(?:-[a-z2-9]{4}){3}\b/)?.[0] ?? '';
