// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// `make fuzz` alone declares the fuzzing programs, and compiles all they use so that the fuzzer sees which way it went.
let isFuzzing = Context.environment["LATCHKEY_FUZZ"] != nil

/// The same rules for every target: Swift 6 language mode, explicit existentials, imports that do not leak, and every
/// warning is an error.
let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
    ] + (isFuzzing ? [.unsafeFlags(["-sanitize=fuzzer,address"])] : [])

/// One C library of the system: a module map and a shim.
func cLibrary(_ name: String) -> Target {
    .systemLibrary(name: name, path: "Shared/CLibraries/\(name)")
}

/// A library that speaks C++, behind a header in C. As for Swift, every warning is an error.
///
/// `archives` become part of the executable: every process loads the libraries of all processes, and those of C++ take
/// longest. Other `libraries` are loaded.
func cxxShim(_ name: String, over archives: [String], and libraries: String...) -> Target {
    .target(
        name: name, path: "Shared/CLibraries/\(name)",
        cxxSettings: [
            .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
            .unsafeFlags(["-fstack-protector-strong"] + (isFuzzing ? ["-fsanitize=fuzzer-no-link,address"] : [])),
            .define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release)),
        ],
        linkerSettings: (archives.map { ":lib\($0).a" } + libraries).map { .linkedLibrary($0) })
}

/// A library whose headers Swift cannot import, behind a header of our own. As for Swift, every
/// warning is an error.
func cShim(_ name: String, over libraries: String..., headers: [String], defining macros: String...) -> Target {
    .target(
        name: name, path: "Shared/CLibraries/\(name)",
        cSettings: [
            .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
            .unsafeFlags(
                ["-fstack-protector-strong"] + headers.map { "-isystem\($0)" }
                    + (isFuzzing ? ["-fsanitize=fuzzer-no-link,address"] : [])),
            .define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release)),
        ] + macros.map { .define($0) },
        linkerSettings: libraries.map { .linkedLibrary($0) })
}

/// A file that is part of the program. `others` stand beside its source and are not compiled.
func embeddedFile(_ name: String, others: [String]) -> Target {
    .target(
        name: name, path: "Shared/CLibraries/\(name)", exclude: ["README.md"] + others,
        cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)])
}

/// The scripts of the pages: each is a file that `scripts.c` makes part of the program.
let pageScripts: Target = {
    let path = "Services/gateway/Scripts"
    let files = (try? FileManager.default.contentsOfDirectory(atPath: Context.packageDirectory + "/" + path)) ?? []
    return .target(
        name: "CPageScripts", path: path, exclude: files.filter { $0.contains(".js") }.sorted(),
        cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)])
}()

/// Prose stands beside the code it explains; the build must not take it for a resource.
func prose(in path: String) -> [String] {
    FileManager.default.fileExists(atPath: Context.packageDirectory + "/" + path + "/README.md") ? ["README.md"] : []
}

/// One folder of `Shared`: a module named for one thing.
func shared(_ name: String, _ needs: Target.Dependency...) -> Target {
    .target(
        name: name, dependencies: needs, path: "Shared/\(name)", exclude: prose(in: "Shared/\(name)"),
        swiftSettings: strict)
}

/// One process: a library with all the code, and an executable that only starts it. The executable `latchkey` links the
/// libraries of all.
func service(
    _ binary: String, module: String, _ needs: Target.Dependency..., excluding others: [String] = [],
    programs: [Target.Dependency] = []
) -> [Target] {
    let path = "Services/\(binary)"
    return [
        .target(
            name: module, dependencies: needs, path: path, exclude: ["Run"] + others + prose(in: path),
            swiftSettings: strict),
        .executableTarget(
            name: binary, dependencies: [.target(name: module), "ServiceRuntime"] + programs, path: path + "/Run",
            swiftSettings: strict),
    ]
}

/// The tests of one module, in files named after the source files they test.
func tests(_ name: String, _ needs: Target.Dependency..., excluding others: [String] = []) -> Target {
    .testTarget(name: name, dependencies: needs, path: "Tests/\(name)", exclude: others, swiftSettings: strict)
}

/// What tests share. No product links it.
let testSupport: Target = .target(
    name: "TestSupport",
    dependencies: [
        "Blocking", "Bus", "Contracts", "Crypto", "Delivery", "HTTPClient", "HTTPServer", "JOSE", "JSON",
        "LatchkeyAdmin", "LatchkeyAuth", "Postgres", "SQL", "SQLite", "Settings", "Vocabulary", "ZeroMQ",
    ],
    path: "Tests/TestSupport",
    swiftSettings: strict)

/// What the machine can do at best, for `make bench`. No product links it.
let benchLimits: Target = .executableTarget(
    name: "bench-limits", dependencies: ["Blocking", "Bus", "Contracts", "Crypto", "SQL", "SQLite", "Vocabulary"],
    path: "Tests/Bench/Limits", swiftSettings: strict)

/// The HTTP library of the gateway alone, for `make bench`. No product links it.
let benchHTTP: Target = .executableTarget(
    name: "bench-http", path: "Tests/Bench/BareHTTP",
    cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)],
    linkerSettings: [.linkedLibrary("microhttpd")])

/// A process with a mistake in it, for the tests of what that does to the others. No product links it.
let crashingWorker: Target = .executableTarget(
    name: "crashing-worker", dependencies: ["Bus", "Contracts", "SQL", "SQLite", "ServiceRuntime"],
    path: "Tests/CrashingWorker", swiftSettings: strict)

/// The bus, the deliveries of identity and notifier, and accounts with their factors, under a clock and a network of their
/// own, from a seed or from bytes. The program `simulation` and the fuzzing program run it. No product links it.
let simulation: [Target] = [
    .target(
        name: "MeshSimulation",
        dependencies: [
            "Blocking", "Broker", "Bus", "Contracts", "Crypto", "DatabaseService", "Delivery", "EventLoop",
            "FederationService", "GatewayService", "HTTPClient", "HTTPServer", "IdentityService", "JSON",
            "LatchkeyProgram", "MFASMSService", "MFATOTPService", "MasterKey", "NotifierService", "PasskeyService",
            "SMTPClient", "SQL", "SQLite", "ServiceRuntime", "Settings", "Storage", "TestSupport", "Vocabulary",
        ],
        path: "Tests/Simulation", exclude: ["Planted", "Run", "run-coverage", "run-planted"], swiftSettings: strict),
    .executableTarget(
        name: "simulation", dependencies: ["MeshSimulation"], path: "Tests/Simulation/Run", swiftSettings: strict),
]

/// The program of docs/use/swift.md, which a user of the client library can copy. No product links it.
let signInExample: Target = .executableTarget(
    name: "sign-in-example", dependencies: ["LatchkeyAuth"], path: "docs/use/example", exclude: ["sign-in.html"],
    swiftSettings: strict)

/// The decoders of bytes from outside: libFuzzer's program for `make fuzz`, else the tests that read its corpus again.
func fuzz(_ needs: Target.Dependency...) -> Target {
    let rest = ["Corpus", "README.md", "executions.tsv", "leaks.txt", "run"]
    guard isFuzzing else {
        return .testTarget(
            name: "FuzzTests", dependencies: needs, path: "Tests/Fuzz", exclude: rest + ["main.swift"],
            swiftSettings: strict)
    }
    return .executableTarget(
        name: "fuzz", dependencies: needs, path: "Tests/Fuzz", exclude: rest + ["FuzzCorpusTests.swift"],
        swiftSettings: strict, linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])])
}

let package = Package(
    name: "latchkey",
    // What applications that link LatchkeyAuth need. All other products run on Linux.
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "LatchkeyAuth", targets: ["LatchkeyAuth"]),
        .library(name: "LatchkeyAdmin", targets: ["LatchkeyAdmin"]),
        .library(name: "LatchkeyTestKit", targets: ["LatchkeyTestKit"]),
    ],
    targets: [
        cShim("CMalloc", headers: []),
        cLibrary("CEventFD"),
        cLibrary("CZMQ"),
        cLibrary("COpenSSL"),
        cLibrary("CSQLite"),
        cLibrary("CPostgres"),
        cLibrary("CMicrohttpd"),
        cLibrary("CArgon2"),
        cLibrary("CCrypt"),
        cLibrary("CCurl"),
        cLibrary("CQRencode"),
        cLibrary("CPublicSuffix"),
        cLibrary("CUnicode"),
        cLibrary("CCBOR"),
        cxxShim(
            "CPhoneNumber",
            over: [
                "phonenumber", "protobuf", "absl_raw_hash_set", "absl_hash", "absl_city", "absl_low_level_hash",
                "absl_strings", "absl_strings_internal", "absl_int128", "absl_throw_delegate",
                "absl_raw_logging_internal", "icui18n",
            ],
            and: "icuuc", "z"),
        // The macros are those that Debian's library was built with.
        cShim(
            "CXMLSec", over: "xmlsec1-openssl", "xmlsec1", "xml2", "crypto",
            headers: ["/usr/include/libxml2", "/usr/include/xmlsec1"],
            defining: "XMLSEC_CRYPTO_OPENSSL", "XMLSEC_NO_CRYPTO_DYNAMIC_LOADING", "XMLSEC_NO_SIZE_T"),
        embeddedFile("CCommonPasswords", others: ["common-passwords.filter", "published-passphrases.txt", "update"]),
        embeddedFile("CPageStylesheet", others: ["pages.css"]),

        shared("Vocabulary"),
        shared("JSON"),
        shared("Contracts", "Vocabulary"),
        shared("Tracing", "Contracts", "JSON", "Vocabulary"),
        shared("Blocking"),
        shared("EventLoop", "CEventFD", "Blocking", "Vocabulary"),
        shared("ZeroMQ", "CZMQ"),
        shared("SQL", "Blocking", "JSON", "Vocabulary"),
        shared("SQLite", "CSQLite", "EventLoop", "SQL"),
        shared("Postgres", "CPostgres", "SQL", "Vocabulary"),
        shared("Crypto", "COpenSSL", "CArgon2", "CCrypt"),
        shared("HTTPServer", "CMicrohttpd", "EventLoop"),
        shared("Curl", "CCurl", "Blocking"),
        shared("HTTPClient", "CCurl", "Curl", "Blocking", "Tracing", "Vocabulary"),
        shared("SMTPClient", "CCurl", "Curl", "Blocking", "Tracing", "Vocabulary"),
        shared("JOSE", "Crypto", "JSON", "Vocabulary"),
        shared("CBOR", "CCBOR"),
        shared("WebAuthn", "CBOR", "Crypto", "JSON", "Vocabulary"),
        shared("SAML", "CXMLSec", "Crypto", "Vocabulary"),
        shared("Bus", "ZeroMQ", "Blocking", "EventLoop", "Contracts", "Crypto", "JSON", "Tracing", "Vocabulary"),
        shared("Settings", "Contracts"),
        shared(
            "ServiceRuntime", "Bus", "Blocking", "CMalloc", "EventLoop", "Contracts", "HTTPClient", "JSON", "Settings",
            "Tracing", "Vocabulary", "ZeroMQ"),
        shared(
            "Broker", "Bus", "Contracts", "EventLoop", "JSON", "ServiceRuntime", "Vocabulary", "ZeroMQ"),
        shared("CommandLineArguments", "ServiceRuntime", "Settings"),
        shared(
            "MasterKey", "Blocking", "Contracts", "Crypto", "EventLoop", "JSON", "SQL", "ServiceRuntime", "Settings",
            "Vocabulary"),
        shared(
            "Storage", "Blocking", "EventLoop", "SQL", "SQLite", "Postgres", "Crypto", "ServiceRuntime", "Settings",
            "Contracts", "Vocabulary"),
        shared("Delivery", "Bus", "Contracts", "EventLoop", "SQL", "ServiceRuntime", "Tracing", "Vocabulary"),
        shared(
            "DatabaseService", "Bus", "Contracts", "Delivery", "EventLoop", "MasterKey", "SQL", "ServiceRuntime",
            "Settings",
            "Storage", "Tracing", "Vocabulary"),
        shared("PhoneNumbers", "CPhoneNumber", "Vocabulary"),
        shared("PasswordFilter", "CCommonPasswords", "Crypto"),
        shared("QRCode", "CQRencode"),
        shared("PublicSuffixes", "CPublicSuffix"),
        shared("UnicodeForms", "CUnicode"),
        shared("EmailTemplates", "Contracts", "Vocabulary"),
        shared("Pages", "CPageStylesheet", "Vocabulary"),
        shared("UserFiles", "Bus", "Contracts", "Crypto", "JSON", "ServiceRuntime", "Vocabulary"),
        shared("ConfigurationDocuments", "Contracts", "Crypto", "JSON", "Vocabulary"),
        shared("ServiceAccountFile", "Contracts", "Crypto", "JSON", "Vocabulary"),
        shared("LatchkeyAuth"),
        shared("LatchkeyAdmin", "LatchkeyAuth"),
        // On Apple's systems CryptoKit signs.
        shared(
            "LatchkeyTestKit", "LatchkeyAdmin", "LatchkeyAuth",
            .target(name: "Crypto", condition: .when(platforms: [.linux]))),
    ]
        + service(
            "broker", module: "BrokerService", "Broker", "Bus", "Contracts", "ServiceRuntime", "Settings")
        + service(
            "gateway", module: "GatewayService", "ConfigurationDocuments", "EmailTemplates", "Settings", "Blocking",
            "Broker", "Bus",
            "Contracts", "JSON", "ServiceAccountFile", "ServiceRuntime", "Vocabulary", "CPageScripts", "EventLoop",
            "HTTPServer", "Pages", "Tracing", "UserFiles", "WebAuthn",
            excluding: ["Scripts"])
        + service(
            "identity", module: "IdentityService", "Settings", "Bus", "DatabaseService", "Contracts", "JSON",
            "ServiceRuntime", "Vocabulary", "Blocking", "Crypto", "Delivery", "HTTPClient", "JOSE", "MasterKey",
            "Pages", "PasswordFilter", "PublicSuffixes", "SQL", "ServiceAccountFile", "Storage", "Tracing",
            "UnicodeForms")
        + service(
            "mfa-sms", module: "MFASMSService", "Settings", "Bus", "DatabaseService", "Contracts", "JSON",
            "ServiceRuntime", "Vocabulary", "Crypto", "MasterKey", "PhoneNumbers", "SQL", "Storage", "HTTPClient")
        + service(
            "mfa-totp", module: "MFATOTPService", "Bus", "DatabaseService", "Contracts", "JSON", "ServiceRuntime",
            "Vocabulary", "Crypto", "MasterKey", "QRCode", "SQL", "Storage")
        + service(
            "passkey", module: "PasskeyService", "Settings", "Bus", "DatabaseService", "Contracts", "JSON",
            "ServiceRuntime", "Vocabulary", "Crypto", "MasterKey", "PublicSuffixes", "SQL", "Storage", "WebAuthn")
        + service(
            "federation", module: "FederationService", "Settings", "Bus", "DatabaseService", "Contracts", "JSON",
            "ServiceRuntime", "Vocabulary", "Blocking", "Crypto", "Delivery", "HTTPClient", "JOSE", "MasterKey",
            "PublicSuffixes", "SAML", "SQL", "Storage")
        + service(
            "notifier", module: "NotifierService", "Settings", "Bus", "DatabaseService", "Contracts", "JSON",
            "ServiceRuntime", "Vocabulary", "Crypto", "Delivery", "EmailTemplates", "EventLoop", "HTTPClient", "JOSE",
            "MasterKey",
            "SMTPClient", "SQL", "Storage")
        + service(
            "latchkey", module: "LatchkeyProgram", "ConfigurationDocuments", "JOSE", "Settings", "Blocking", "Broker",
            "Bus", "CommandLineArguments", "Contracts", "Crypto", "EmailTemplates", "EventLoop", "JSON",
            "PasswordFilter", "ServiceAccountFile", "ServiceRuntime", "UserFiles", "Vocabulary", "HTTPClient",
            "MasterKey", "SMTPClient",
            "SQL", "SQLite", "Storage", "ZeroMQ",
            programs: [
                "Contracts", "BrokerService", "FederationService", "GatewayService", "IdentityService", "MFASMSService",
                "MFATOTPService", "NotifierService", "PasskeyService",
            ])
        + simulation
        + [
            testSupport,
            benchLimits,
            benchHTTP,
            crashingWorker,
            pageScripts,
            signInExample,
            tests(
                "ArchitectureTests", "Contracts", "FederationService", "IdentityService", "JSON", "MFASMSService",
                "MFATOTPService", "NotifierService", "PasskeyService", "SQL", "Settings", "Vocabulary"),
            tests("TracingTests", "Contracts", "Tracing"),
            tests("BlockingTests", "Blocking", "TestSupport"),
            tests("EventLoopTests", "Blocking", "EventLoop"),
            tests("CryptoTests", "Crypto", "TestSupport"),
            tests("SQLTests", "JSON", "Postgres", "SQL", "SQLite", "TestSupport", "Vocabulary"),
            tests("SQLiteTests", "EventLoop", "SQL", "SQLite", "TestSupport"),
            tests("PostgresTests", "Postgres", "SQL", "TestSupport"),
            tests(
                "StorageTests", "Blocking", "Contracts", "Crypto", "Postgres", "SQL", "SQLite", "ServiceRuntime",
                "Settings", "Storage", "TestSupport", "Vocabulary"),
            tests("DeliveryTests", "Contracts", "Delivery", "SQL", "ServiceRuntime", "TestSupport", "Vocabulary"),
            tests("DatabaseServiceTests", "Bus", "Contracts", "DatabaseService", "TestSupport", "Vocabulary"),
            tests("HTTPServerTests", "EventLoop", "HTTPServer", "TestSupport"),
            tests("HTTPClientTests", "HTTPClient", "HTTPServer", "TestSupport"),
            tests("SMTPClientTests", "SMTPClient", "Blocking", "TestSupport", "Vocabulary"),
            tests("PagesTests", "Pages", "Vocabulary"),
            tests("EmailTemplatesTests", "EmailTemplates", "Contracts", "JSON", "TestSupport", "Vocabulary"),
            tests(
                "NotifierTests", "NotifierService", "Settings", "Blocking", "Bus", "Contracts", "Crypto",
                "DatabaseService", "Delivery", "EmailTemplates", "HTTPClient", "HTTPServer", "JOSE", "MasterKey",
                "Postgres", "SMTPClient", "SQL", "SQLite", "ServiceRuntime", "TestSupport", "Vocabulary"),
            tests(
                "LatchkeyAuthTests", "LatchkeyAuth", "Crypto", "HTTPServer", "TestSupport",
                excluding: ["Snippets", "StandIns"]),
            tests("LatchkeyAdminTests", "Crypto", "JOSE", "LatchkeyAdmin", "LatchkeyAuth", "TestSupport"),
            tests("JOSETests", "JOSE", "Crypto", "Vocabulary", "TestSupport"),
            tests(
                "BusTests", "Blocking", "Broker", "Bus", "Contracts", "EventLoop", "JSON", "ServiceRuntime",
                "TestSupport", "Tracing", "Vocabulary", "ZeroMQ"),
            tests(
                "BrokerTests", "Broker", "Bus", "Contracts", "ServiceRuntime", "TestSupport", "Vocabulary", "ZeroMQ"),
            tests("ZeroMQTests", "ZeroMQ", "Blocking", "TestSupport"),
            tests(
                "MasterKeyTests", "MasterKey", "Contracts", "Crypto", "SQL", "SQLite", "ServiceRuntime", "Settings",
                "TestSupport"),
            tests("JSONTests", "JSON", "TestSupport"),
            tests("UnicodeFormsTests", "UnicodeForms"),
            tests("ConfigurationDocumentsTests", "ConfigurationDocuments", "Contracts", "JSON", "Vocabulary"),
            tests("CBORTests", "CBOR", "TestSupport"),
            tests("WebAuthnTests", "CBOR", "Crypto", "JSON", "TestSupport", "Vocabulary", "WebAuthn"),
            tests("SAMLTests", "Crypto", "SAML", "TestSupport", "Vocabulary", excluding: ["Fixtures"]),
            tests("ContractsTests", "Contracts", "JSON", "TestSupport", "Vocabulary"),
            tests("PasswordFilterTests", "PasswordFilter", "TestSupport"),
            tests("UserFilesTests", "Contracts", "JSON", "TestSupport", "UserFiles", "Vocabulary"),
            tests("QRCodeTests", "QRCode", "TestSupport"),
            tests("PublicSuffixesTests", "PublicSuffixes"),
            tests("PhoneNumbersTests", "PhoneNumbers", "TestSupport", "Vocabulary"),
            tests(
                "MFATOTPTests", "MFATOTPService", "Blocking", "Bus", "Contracts", "Crypto", "DatabaseService",
                "MasterKey", "Postgres", "SQL", "SQLite", "ServiceRuntime", "Storage", "TestSupport", "Vocabulary"),
            tests(
                "PasskeyTests", "PasskeyService", "Bus", "Contracts", "Crypto", "DatabaseService", "MasterKey", "SQL",
                "ServiceRuntime", "Settings", "Storage", "TestSupport", "Vocabulary", "WebAuthn"),
            tests(
                "MFASMSTests", "MFASMSService", "DatabaseService", "Settings", "Blocking", "Bus", "Contracts", "JSON",
                "Crypto", "HTTPClient", "HTTPServer", "MasterKey", "PhoneNumbers", "Postgres", "SQL", "SQLite",
                "ServiceRuntime", "Storage", "TestSupport", "Vocabulary"),
            tests(
                "FederationTests", "FederationService", "Bus", "Contracts", "Crypto", "DatabaseService", "Delivery",
                "HTTPClient", "HTTPServer", "JOSE", "JSON", "MasterKey", "SAML", "SQL", "ServiceRuntime", "Settings",
                "TestSupport", "Vocabulary"),
            tests("SimulationTests", "TestSupport", "simulation"),
            tests("VocabularyTests", "Crypto", "TestSupport", "Vocabulary"),
            tests(
                "ServiceRuntimeTests", "ServiceRuntime", "Bus", "Contracts", "EventLoop", "HTTPClient", "Settings",
                "TestSupport", "Tracing", "Vocabulary"),
            tests("SettingsTests", "Settings", "Contracts"),
            tests("CommandLineArgumentsTests", "CommandLineArguments", "ServiceRuntime", "Settings", "TestSupport"),
            tests(
                "LatchkeyProgramTests", "LatchkeyProgram", "Crypto", "JOSE", "Bus", "CommandLineArguments",
                "PasswordFilter", "ServiceRuntime", "Settings", "Contracts", "JSON", "MasterKey", "SQL", "SQLite",
                "Storage", "TestSupport", "Vocabulary", "ZeroMQ", "broker", "crashing-worker"),
            tests(
                "GatewayTests", "GatewayService", "Bus", "ConfigurationDocuments", "Settings", "Contracts", "JSON",
                "Crypto", "HTTPServer", "Pages", "ServiceRuntime", "TestSupport", "Vocabulary", excluding: ["Scripts"]),
            tests(
                "IdentityTests", "IdentityService", "Settings", "Blocking", "Bus", "Contracts", "EventLoop", "JSON",
                "Crypto", "DatabaseService", "Delivery", "HTTPClient", "HTTPServer", "JOSE", "MasterKey",
                "Pages", "PasswordFilter", "Postgres", "SQL", "SQLite", "ServiceAccountFile", "ServiceRuntime",
                "Storage",
                "TestSupport", "UserFiles", "Vocabulary"),
            // Every executable: the tests start them.
            tests(
                "MeshTests", "Blocking", "Bus", "Contracts", "JSON", "Crypto", "HTTPClient", "JOSE", "LatchkeyAdmin",
                "LatchkeyAuth", "SQL", "SQLite", "TestSupport", "Vocabulary", "ZeroMQ", "broker", "gateway", "identity",
                "mfa-sms", "mfa-totp", "passkey", "federation", "notifier", "latchkey"),
            // Every executable: the tests start them.
            tests(
                "GuideTests", "HTTPClient", "JSON", "LatchkeyAdmin", "LatchkeyAuth", "LatchkeyTestKit", "TestSupport",
                "Vocabulary",
                "broker", "gateway", "identity", "mfa-sms", "mfa-totp", "passkey", "federation", "notifier",
                "latchkey"),
            fuzz(
                "Blocking", "Broker", "Bus", "CBOR", "CommandLineArguments", "ConfigurationDocuments", "Contracts",
                "Crypto", "Curl", "EmailTemplates", "FederationService", "GatewayService", "HTTPClient", "HTTPServer",
                "IdentityService", "JSON", "JOSE", "LatchkeyAdmin", "LatchkeyAuth", "LatchkeyProgram", "MFASMSService",
                "MFATOTPService", "MasterKey", "MeshSimulation", "NotifierService", "PhoneNumbers", "SAML",
                "SMTPClient", "ServiceRuntime", "TestSupport", "UserFiles", "Vocabulary", "WebAuthn", "ZeroMQ"),
        ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
