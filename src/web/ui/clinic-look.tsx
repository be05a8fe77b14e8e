'use client';
import { createContext, useContext } from 'react';

export type ThemeShades = { light: Record<string, string>; dark: Record<string, string> };
/** The branding of the pages that a clinic's patients and staff open from a link. */
export type ClinicLook = {
  name: string;
  logo: { path: string; width: number; height: number } | null;
  /** Null when the clinic has not chosen a colour. */
  shades: ThemeShades | null;
  phone: string | null;
  email: string | null;
  termsUrl: string | null;
  privacyUrl: string | null;
};

export const ClinicLookContext = createContext<ClinicLook | null>(null);

/** Null in the portal, and until the branding has loaded. */
export const useClinicLook = (): ClinicLook | null => useContext(ClinicLookContext);

/** The clinic's name: from the page's data, else from the link's token, else the product's name. */
export const ClinicName = ({ known }: { known?: string | null | undefined }) => {
  const look = useClinicLook();
  return <span className="text-base font-semibold wrap-anywhere">{known ?? look?.name ?? 'Carelane'}</span>;
};
