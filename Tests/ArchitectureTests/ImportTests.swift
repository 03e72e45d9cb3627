import Testing

/// The import rules. Imports have one direction: services import shared modules, and shared modules import no service.
struct ImportTests {
    /// Modules of the Swift toolchain that may be imported. `Foundation` is excluded, because it costs every process
    /// megabytes of memory.
    private static let toolchain: Set<Substring> = ["FoundationEssentials", "Glibc", "Synchronization"]

    /// The imports of each shared module besides the toolchain. A new module gets a line here.
    private static let shared: [Substring: Set<Substring>] = [
        "Vocabulary": [],
        "JSON": [],
        "Contracts": ["Vocabulary"],
        "Blocking": [],
        "EventLoop": ["Blocking", "CEventFD"],
        "ZeroMQ": ["CZMQ"],
        "SQL": ["Blocking", "Vocabulary"],
        "SQLite": ["CSQLite", "EventLoop", "SQL"],
        "Postgres": ["CPostgres", "SQL", "Vocabulary"],
        "Crypto": ["COpenSSL", "CArgon2", "CCrypt"],
        "HTTPServer": ["CMicrohttpd", "EventLoop"],
        "Curl": ["CCurl", "Blocking"],
        "HTTPClient": ["CCurl", "Curl", "Blocking", "Vocabulary"],
        "SMTPClient": ["CCurl", "Curl", "Blocking", "Vocabulary"],
        "JOSE": ["Crypto", "JSON", "Vocabulary"],
        "CBOR": ["CCBOR"],
        "WebAuthn": ["CBOR", "Crypto", "JSON", "Vocabulary"],
        "SAML": ["CXMLSec", "Crypto", "Vocabulary"],
        "Bus": ["ZeroMQ", "Blocking", "EventLoop", "Contracts", "Crypto", "JSON", "Vocabulary"],
        "Settings": ["Contracts"],
        "ServiceRuntime": ["CMalloc", "Bus", "Blocking", "Contracts", "EventLoop", "Settings", "Vocabulary"],
        "CommandLineArguments": ["ServiceRuntime", "Settings"],
        "MasterKey": [
            "Blocking", "Contracts", "Crypto", "EventLoop", "SQL", "ServiceRuntime", "Settings", "Vocabulary",
        ],
        "Storage": [
            "EventLoop", "SQL", "SQLite", "Postgres", "Crypto", "ServiceRuntime", "Settings", "Contracts", "Vocabulary",
        ],
        "PasswordFilter": ["CCommonPasswords", "Crypto"],
        "PublicSuffixes": ["CPublicSuffix"],
        "UnicodeForms": ["CUnicode"],
        "QRCode": ["CQRencode"],
        "PhoneNumbers": ["CPhoneNumber", "Vocabulary"],
        "EmailTemplates": ["Contracts", "Vocabulary"],
        "ConfigurationDocuments": ["Contracts", "JSON", "Vocabulary"],
        "ServiceAccountFile": ["Contracts", "Crypto", "JSON", "Vocabulary"],
        // The client library also runs on Apple's systems, in applications, which link the whole of Foundation.
        "LatchkeyAuth": [
            "Foundation", "FoundationNetworking", "AppKit", "AuthenticationServices", "Darwin", "Musl", "Security",
            "UIKit",
        ],
        "UserFiles": ["Contracts", "JSON", "ServiceRuntime", "Vocabulary"],
    ]

    /// The C libraries. Only the wrapper listed above may import its library, and no C type leaves that module.
    private static let libraries: Set<Substring> = [
        "CMalloc", "CEventFD", "CZMQ", "CSQLite", "CPostgres", "COpenSSL", "CArgon2", "CCrypt", "CMicrohttpd", "CCurl",
        "CQRencode", "CPhoneNumber", "CPublicSuffix", "CUnicode", "CCommonPasswords", "CCBOR", "CXMLSec",
    ]

    /// The module of each folder of `Services`.
    private static let services: [Substring: Substring] = [
        "broker": "BrokerService", "gateway": "GatewayService", "identity": "IdentityService",
        "mfa-sms": "MFASMSService", "mfa-totp": "MFATOTPService", "passkey": "PasskeyService",
        "federation": "FederationService", "notifier": "NotifierService", "latchkey": "Launcher",
    ]

    private let tree: SourceTree

    init() throws { tree = try SourceTree() }

    @Test func sharedModuleImportsOnlyAllowedModules() throws {
        for file in tree.files(in: "Shared") {
            let allowed = try #require(Self.shared[file.folders[1]], "\(file): say what its module may import")
            for (place, module) in file.imports {
                #expect(allowed.union(Self.toolchain).contains(module), "\(place) imports \(module)")
            }
        }
    }

    /// It is also built for release, where `Testing` does not exist.
    @Test func testSupportDoesNotImportTesting() {
        for file in tree.files(in: "Tests/TestSupport") {
            for (place, module) in file.imports { #expect(module != "Testing", "\(place)") }
        }
    }

    /// Only the main file of the executable that contains every process imports them all.
    @Test func servicesNeverImportEachOther() throws {
        let shared = Set(Self.shared.keys).union(Self.toolchain)
        for file in tree.files(in: "Services") where file.path != "Services/latchkey/Run/main.swift" {
            let own = try #require(Self.services[file.folders[1]], "\(file) is in no service we know")
            for (place, module) in file.imports {
                #expect(module == own || shared.contains(module), "\(place) imports \(module)")
            }
        }
    }

    /// The bench measures the bare HTTP library, beside which our wrapper stands.
    /// Security rule DH3: all cryptography is OpenSSL's, through one module.
    @Test func cLibraryIsImportedOnlyByItsWrapper() {
        for file in tree.files
        where !file.path.hasPrefix("Shared/") && file.path != "Tests/Bench/Limits/BareHTTP.swift" {
            for (place, module) in file.imports {
                #expect(!Self.libraries.contains(module), "\(place) imports \(module)")
            }
        }
    }

    /// `internal import` keeps C's names out of a wrapper's interface; the compiler checks the rest.
    @Test func cLibraryIsImportedInternally() {
        for file in tree.files(in: "Shared") {
            for (place, module) in file.imports where Self.libraries.contains(module) {
                let line = file.code.first { $0.place == place }
                #expect(line?.text == "internal import \(module)", "\(place) shows \(module) to others")
            }
        }
    }

    @Test func runFolderContainsOnlyMain() {
        for file in tree.files(in: "Services") where file.folders.last == "Run" {
            #expect(file.path.hasSuffix("/Run/main.swift"))
        }
    }

    /// Rules decide with values. `Contracts` is allowed for the values that cross the bus (an account, the configuration
    /// of a project), `JOSE` for the verification of tokens, `PhoneNumbers` for the numbering plans, `PublicSuffixes` for
    /// the list of domains, `SAML` for assertions, `UnicodeForms` for the form of passwords, `WebAuthn` for the
    /// verification of ceremonies. A rule that called a service or read a store would have to import more.
    @Test func rulesImportValuesOnly() {
        let allowed: Set<Substring> = [
            "Contracts", "Crypto", "FoundationEssentials", "JOSE", "JSON", "PhoneNumbers", "PublicSuffixes",
            "SAML", "UnicodeForms", "Vocabulary", "WebAuthn",
        ]
        for file in tree.rules {
            for (place, module) in file.imports {
                #expect(allowed.contains(module), "\(place) imports \(module)")
            }
        }
    }

    /// Each feature keeps its rules in its folder `Rules`, and so does a service with one feature: a rule beside its
    /// handler would not be checked.
    @Test func everyRulesFolderBelongsToAFeature() {
        for file in tree.rules {
            #expect((3...4).contains(file.folders.count) && file.folders.last == "Rules", "\(file)")
        }
    }

    /// Rules receive time and randomness as arguments, so that a test can choose both.
    @Test func rulesHaveNoClockNoRandomnessAndNoSuspension() {
        for file in tree.rules {
            for (place, text) in file.code {
                for word in ["Date()", "Date.now", "Clock.now", ".random(", "Random.", " async ", "await "] {
                    #expect(!text.contains(word), "\(place) says \(word)")
                }
            }
        }
    }
}
