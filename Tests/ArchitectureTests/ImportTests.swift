import Testing

/// Who may import whom. Arrows never turn back: services know what is shared, what is shared knows no service.
struct ImportTests {
    /// Modules of the Swift toolchain that our code may use. `Foundation` is not among them: the whole of it costs every
    /// process megabytes of memory.
    private static let toolchain: Set<Substring> = ["FoundationEssentials", "Glibc", "Synchronization"]

    /// What each shared module may import beside the toolchain. A new module gets a line here.
    private static let shared: [Substring: Set<Substring>] = [
        "Vocabulary": [],
        "Contracts": ["Vocabulary"],
        "Blocking": [],
        "ZeroMQ": ["CZMQ"],
        "SQL": ["Blocking", "Vocabulary"],
        "SQLite": ["CSQLite", "SQL"],
        "Postgres": ["CPostgres", "SQL"],
        "Crypto": ["COpenSSL", "CArgon2"],
        "HTTPServer": ["CMicrohttpd", "Blocking", "Dispatch"],
        "HTTPClient": ["CCurl", "Blocking"],
        "SMTPClient": ["CCurl", "Blocking", "Vocabulary"],
        "JOSE": ["Crypto", "Contracts", "Vocabulary"],
        "Bus": ["ZeroMQ", "Blocking", "Contracts", "Crypto", "Vocabulary"],
        "Settings": ["Contracts"],
        "ServiceRuntime": ["CMalloc", "Bus", "Blocking", "Contracts", "Settings", "Vocabulary"],
        "MasterKey": ["Blocking", "Contracts", "Crypto", "SQL", "ServiceRuntime", "Settings"],
        "Storage": ["SQL", "SQLite", "Postgres", "Crypto", "ServiceRuntime", "Settings", "Contracts", "Vocabulary"],
        "PasswordFilter": ["CCommonPasswords", "Crypto"],
        "QRCode": ["CQRencode"],
        "PhoneNumbers": ["CPhoneNumber", "Vocabulary"],
        "EmailTemplates": ["Contracts", "Vocabulary"],
        "ServiceAccountFile": ["Contracts", "Crypto", "Vocabulary"],
    ]

    /// Files that need the whole of Foundation, with what for.
    private static let wholeFoundation = ["Services/identity/Domain/Password.swift": "Unicode form NFKC"]

    /// The C libraries. Only the wrapper that names one above may import it, and no C type leaves that module.
    private static let libraries: Set<Substring> = [
        "CMalloc", "CZMQ", "CSQLite", "CPostgres", "COpenSSL", "CArgon2", "CMicrohttpd", "CCurl",
        "CQRencode", "CPhoneNumber", "CCommonPasswords",
    ]

    /// The module of each folder of `Services`.
    private static let services: [Substring: Substring] = [
        "broker": "BrokerService", "gateway": "GatewayService", "identity": "IdentityService",
        "mfa-sms": "MFASMSService", "mfa-totp": "MFATOTPService", "passkey": "PasskeyService",
        "federation": "FederationService", "notifier": "NotifierService", "latchkey": "Launcher",
    ]

    private let tree: SourceTree

    init() throws { tree = try SourceTree() }

    @Test func whatIsSharedImportsOnlyWhatStandsBelowIt() throws {
        for file in tree.files(in: "Shared") {
            let allowed = try #require(Self.shared[file.folders[1]], "\(file): say what its module may import")
            for (place, module) in file.imports {
                #expect(allowed.union(Self.toolchain).contains(module), "\(place) imports \(module)")
            }
        }
    }

    /// It is built with the release too, where there is no `Testing`.
    @Test func whatTestsShareNeedsNoTestRunner() {
        for file in tree.files(in: "Tests/TestSupport") {
            for (place, module) in file.imports { #expect(module != "Testing", "\(place)") }
        }
    }

    @Test func servicesNeverImportEachOther() throws {
        let shared = Set(Self.shared.keys).union(Self.toolchain)
        for file in tree.files(in: "Services") {
            let own = try #require(Self.services[file.folders[1]], "\(file) is in no service we know")
            for (place, module) in file.imports where !isAllowedFoundation(module, in: file) {
                #expect(module == own || shared.contains(module), "\(place) imports \(module)")
            }
        }
    }

    @Test func onlyItsWrapperImportsACLibrary() {
        for file in tree.files where !file.path.hasPrefix("Shared/") {
            for (place, module) in file.imports {
                #expect(!Self.libraries.contains(module), "\(place) imports \(module)")
            }
        }
    }

    /// `internal import` keeps C's names out of a wrapper's interface; the compiler checks the rest.
    @Test func aCLibraryIsImportedInternally() {
        for file in tree.files(in: "Shared") {
            for (place, module) in file.imports where Self.libraries.contains(module) {
                let line = file.code.first { $0.place == place }
                #expect(line?.text == "internal import \(module)", "\(place) shows \(module) to others")
            }
        }
    }

    @Test func anExecutableHoldsNothingButItsCompositionRoot() {
        for file in tree.files(in: "Services") where file.folders.last == "Run" {
            #expect(file.path.hasSuffix("/Run/main.swift"))
        }
    }

    /// A domain decides with values. `Contracts` is allowed for those that cross the bus (an account, the configuration
    /// of a project), `PhoneNumbers` for what the numbering plans say; to ask a service or to read a store, a domain
    /// would have to import more.
    @Test func aDomainImportsValuesOnly() {
        let allowed: Set<Substring> = [
            "Contracts", "Crypto", "FoundationEssentials", "PhoneNumbers", "Vocabulary",
        ]
        for file in tree.domains {
            for (place, module) in file.imports where !isAllowedFoundation(module, in: file) {
                #expect(allowed.contains(module), "\(place) imports \(module)")
            }
        }
    }

    private func isAllowedFoundation(_ module: Substring, in file: SourceTree.File) -> Bool {
        module == "Foundation" && Self.wholeFoundation[file.path] != nil
    }

    /// Time and chance are handed to a domain: what is hidden cannot be tested.
    @Test func aDomainHasNoClockNoDiceAndNothingToWaitFor() {
        for file in tree.domains {
            for (place, text) in file.code {
                for word in ["Date()", "Date.now", "Clock.now", ".random(", "Random.", " async ", "await "] {
                    #expect(!text.contains(word), "\(place) says \(word)")
                }
            }
        }
    }
}
