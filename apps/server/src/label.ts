/** A DNS-1123 label: what namespaces and nodes are named with. */
export const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
