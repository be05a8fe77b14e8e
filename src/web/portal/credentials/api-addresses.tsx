'use client';
import { createContext, use } from 'react';
import { CopyField } from '#web/ui/copy-field.tsx';

/** URLs at which applications reach the service: for a token, and for the API. */
export type Addresses = { tokenUrl: string; apiUrl: string };
export const AddressesContext = createContext<Addresses>({ tokenUrl: '', apiUrl: '' });

/** Shown next to every client id and secret. */
export function ApiAddresses() {
  const { tokenUrl, apiUrl } = use(AddressesContext);
  return (
    <>
      <CopyField label="Token URL" value={tokenUrl} />
      <CopyField label="API base URL" value={apiUrl} />
      <p className="text-[13px] text-muted">
        What can be called there is in the{' '}
        <a href="/docs" target="_blank" rel="noreferrer" className="text-accent-ink underline underline-offset-3">
          API reference
        </a>
        .
      </p>
    </>
  );
}
