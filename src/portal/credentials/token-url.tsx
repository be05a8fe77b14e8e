'use client';
import { createContext, use } from 'react';
import { CopyField } from '#portal/ui/copy-field.tsx';

/** Where an application trades its id and secret for a token, as the service was told it is reached. */
export const TokenUrlContext = createContext('');

/** Stands wherever id and secret are. */
export const TokenUrl = () => <CopyField label="Token URL" value={use(TokenUrlContext)} />;
