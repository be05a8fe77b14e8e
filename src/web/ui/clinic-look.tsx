'use client';
import { createContext, useContext } from 'react';

export type ThemeShades = { light: Record<string, string>; dark: Record<string, string> };
/** What a page wears that a clinic sends its patients and its team to. */
export type ClinicLook = {
  name: string;
  logo: { path: string; width: number; height: number } | null;
  /** Null where the clinic has chosen no colour. */
  shades: ThemeShades | null;
  phone: string | null;
  email: string | null;
  termsUrl: string | null;
  privacyUrl: string | null;
};

export const ClinicLookContext = createContext<ClinicLook | null>(null);

/** Null in the portal, and until it is known. */
export const useClinicLook = (): ClinicLook | null => useContext(ClinicLookContext);

/** Whose page this is: what the page knows already, else what its link's token names, else whose software it is. */
export const ClinicName = ({ known }: { known?: string | null | undefined }) => {
  const look = useClinicLook();
  return <span className="text-base font-semibold wrap-anywhere">{known ?? look?.name ?? 'Carelane'}</span>;
};
