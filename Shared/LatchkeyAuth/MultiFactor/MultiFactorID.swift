// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The names are those that applications know from Firebase Authentication.

/// ``MultiFactorInfo/factorID`` of phones.
public let PhoneMultiFactorID = "phone"

/// ``MultiFactorInfo/factorID`` of authenticator apps.
public let TOTPMultiFactorID = "totp"

/// An older spelling of ``TOTPMultiFactorID``.
public let TotpMultiFactorID = TOTPMultiFactorID
