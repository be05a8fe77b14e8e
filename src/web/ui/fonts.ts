export { GeistMono as mono } from 'geist/font/mono';
export { GeistSans as sans } from 'geist/font/sans';
