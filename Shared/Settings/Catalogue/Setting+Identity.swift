/// Settings of accounts, sessions and tokens.
extension Setting {
    package static let apiKey = Setting(
        "LATCHKEY_API_KEY", .text, readBy: [.identity], default: .described("random, made at the first start"),
        "The API key of the default project: 20 to 128 letters and digits")

    package static let refreshGrace = Setting(
        "LATCHKEY_REFRESH_GRACE", .duration(maximumSeconds: 24 * 60 * 60), readBy: [.identity], default: .value("1h"),
        "How long a redeemed refresh token is accepted again while its successor is unused",
        "It covers replies that were lost.")

    package static let passwordThreads = Setting(
        "LATCHKEY_PASSWORD_THREADS", .integer(1...256), readBy: [.identity],
        default: .described("one per processor"), example: "2",
        "Passwords that are hashed at a time", "Each takes 19 MiB.")

    package static let importBcryptCost = Setting(
        "LATCHKEY_IMPORT_BCRYPT_COST", .integer(4...14), readBy: [.identity], default: .value("12"),
        "The highest cost of bcrypt hashes that an import accepts",
        "Each step doubles the time of every refused sign-in in the project or tenant, about 250 ms at 12, until the"
            + " users of these hashes have signed in.")

    package static let passwordFilter = Setting(
        "LATCHKEY_PASSWORD_FILTER", .path, readBy: [.identity],
        default: .described("common passwords, words and names, which are part of the program"),
        example: "/etc/latchkey/passwords.filter",
        "A filter of passwords that users cannot choose, made by `latchkey password-filter LIST FILE`")

    package static let passwordHashReaders = Setting(
        "LATCHKEY_PASSWORD_HASH_READERS", .list, readBy: [.identity],
        example: "export@example.iam.gserviceaccount.com",
        "The service accounts that get password hashes from accounts:batchGet and downloadAccount",
        "Addresses, separated by commas. The others get a constant instead of each hash.")

    package static let auditRetention = Setting(
        "LATCHKEY_AUDIT_RETENTION", .duration(maximumSeconds: 3650 * 86_400), readBy: [.identity],
        default: .value("400d"), "How long the audit log keeps changes, from 1d")

    package static let auditRefusalRetention = Setting(
        "LATCHKEY_AUDIT_REFUSAL_RETENTION", .duration(maximumSeconds: 3650 * 86_400), readBy: [.identity],
        default: .value("30d"), "How long the audit log keeps refused requests, from 1d")

    package static let blockingFunctionPrivateHosts = Setting(
        "LATCHKEY_BLOCKING_FUNCTION_PRIVATE_HOSTS", .list, readBy: [.identity],
        default: .described("none: blocking functions have public addresses"), example: "hooks.internal.example.com",
        "Host names of blocking functions that may have private addresses",
        "Requests to other hosts go to addresses of the public Internet only. HTTPS is required in any case.")

    package static let emailPerProjectPerDay = Setting(
        "LATCHKEY_EMAIL_PER_PROJECT_PER_DAY", .integer(0...100_000_000), readBy: [.identity], default: .value("10000"),
        "E-mails of one project per day that its users request; 0: no limit",
        "A quarter is reserved for resets and sign-in links of verified addresses.")

    package static let blockingFunctionsForEverySignIn = Setting(
        "LATCHKEY_BLOCKING_FUNCTIONS_FOR_EVERY_SIGN_IN", .boolean, readBy: [.identity], default: .value("0"),
        "1: blocking functions are called for anonymous users, custom tokens and links of a password, too",
        "Google calls none for these.")

    package static let devServiceAccounts = Setting(
        "LATCHKEY_DEV_SERVICE_ACCOUNTS", .list, readBy: [.identity], audience: .development,
        example: "service-account.json", "Key files of service accounts to register at the start, separated by commas")

    package static let emulatorTokens = Setting(
        "LATCHKEY_EMULATOR_TOKENS", .boolean, readBy: [.latchkey, .identity, .federation], audience: .development,
        default: .value("0"), "1: ID tokens without signature, for clients that insist",
        "Unsigned ID tokens of identity providers without configuration are accepted too, for tests of applications.")
}

extension SettingsCatalogue {
    static let identity: [Setting] = [
        .apiKey, .refreshGrace, .passwordThreads, .importBcryptCost, .passwordFilter, .passwordHashReaders,
        .auditRetention,
        .auditRefusalRetention, .emailPerProjectPerDay, .blockingFunctionPrivateHosts,
        .blockingFunctionsForEverySignIn, .devServiceAccounts,
        .emulatorTokens,
    ]
}
