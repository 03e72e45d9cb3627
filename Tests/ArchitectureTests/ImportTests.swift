import Testing

/// The import rules. Imports have one direction: services import shared modules, and shared modules import no service.
struct ImportTests {
    /// Modules of the Swift toolchain that may be imported. `Foundation` is excluded, because it costs every process
    /// megabytes of memory.
    private static let toolchain: Set<Substring> = ["FoundationEssentials", "Glibc", "Synchronization"]

    /// They also run on Apple's systems, in applications and backends, which link the whole of Foundation.
    private static let clientLibraries: Set<Substring> = ["LatchkeyAuth", "LatchkeyAdmin", "LatchkeyTestKit"]
    private static let applicationFrameworks: Set<Substring> = [
        "Foundation", "FoundationNetworking", "AppKit", "AuthenticationServices", "CryptoKit", "Darwin", "GameKit",
        "Musl",
        "Security", "UIKit",
    ]

    private let tree: SourceTree
    private let manifest: PackageManifest

    init() throws {
        tree = try SourceTree()
        manifest = try PackageManifest()
    }

    /// The compiler also finds a module that another target has built, so it does not check this.
    @Test func moduleImportsWhatItDeclares() throws {
        for file in tree.files(in: "Shared") {
            let name = file.folders[1]
            let declared = try #require(manifest.sharedModules[name], "\(file) belongs to no target of Package.swift")
            let frameworks = Self.clientLibraries.contains(name) ? Self.applicationFrameworks : []
            let libraries = Self.toolchain.union(frameworks)
            for (place, module) in file.imports {
                #expect(declared.union(libraries).contains(module), "\(place) imports \(module)")
            }
        }
    }

    @Test func moduleDeclaresWhatItImports() throws {
        for (name, declared) in manifest.sharedModules {
            let imported = Set(tree.files(in: "Shared/\(name)").flatMap(\.imports).map(\.module))
            #expect(declared.subtracting(imported).isEmpty, "\(name) imports none of these")
        }
        for service in manifest.services {
            let imported = Set(tree.files(in: "Services/\(service.folder)").flatMap(\.imports).map(\.module))
            #expect(service.dependencies.subtracting(imported).isEmpty, "\(service.module) imports none of these")
        }
    }

    @Test func sharedModulesImportNoService() {
        let modules = Set(manifest.services.map(\.module))
        for (name, declared) in manifest.sharedModules { #expect(declared.isDisjoint(with: modules), "\(name)") }
    }

    /// It is also built for release, where `Testing` does not exist.
    @Test func testSupportDoesNotImportTesting() {
        for file in tree.files(in: "Tests/TestSupport") {
            for (place, module) in file.imports { #expect(module != "Testing", "\(place)") }
        }
    }

    /// Only the main file of the executable that contains every process imports them all.
    @Test func servicesNeverImportEachOther() throws {
        for file in tree.files(in: "Services") where file.path != "Services/latchkey/Run/main.swift" {
            let service = try #require(
                manifest.services.first { $0.folder == file.folders[1] }, "\(file) belongs to no service")
            let allowed = service.dependencies.union(Self.toolchain).union([service.module])
            for (place, module) in file.imports {
                #expect(allowed.contains(module), "\(place) imports \(module)")
            }
        }
    }

    /// The bench measures the bare HTTP library, beside which our wrapper stands.
    /// Security rule DH3: all cryptography is OpenSSL's, through one module.
    @Test func cLibraryIsImportedOnlyByItsWrapper() {
        for file in tree.files
        where !file.path.hasPrefix("Shared/") && file.path != "Tests/Bench/Limits/BareHTTP.swift" {
            for (place, module) in file.imports {
                #expect(!manifest.libraries.contains(module), "\(place) imports \(module)")
            }
        }
    }

    /// `internal import` keeps C's names out of a wrapper's interface; the compiler checks the rest.
    @Test func cLibraryIsImportedInternally() {
        for file in tree.files(in: "Shared") {
            for (place, module) in file.imports where manifest.libraries.contains(module) {
                let line = file.code.first { $0.place == place }
                #expect(line?.text == "internal import \(module)", "\(place) shows \(module) to others")
            }
        }
    }

    /// An import is internal unless it says more, so that the word stands only where it is the point: at C libraries.
    @Test func otherModulesAreImportedWithoutAWord() {
        for file in tree.files {
            for line in file.code where line.text.hasPrefix("internal import ") {
                let module = line.text.dropFirst("internal import ".count)
                #expect(manifest.libraries.contains(module), "\(line.place) needs no `internal`")
            }
        }
    }

    @Test func runFolderContainsOnlyMain() {
        for file in tree.files(in: "Services") where file.folders.last == "Run" {
            #expect(file.path.hasSuffix("/Run/main.swift"))
        }
    }

    /// Rules decide with values. `Contracts` is allowed for the values that cross the bus (an account, the configuration
    /// of a project), `Delivery` for the delays between attempts, `JOSE` for the verification of tokens, `Pages` for the texts that users read, `PhoneNumbers` for the numbering plans, `PublicSuffixes` for
    /// the list of domains, `SAML` for assertions, `UnicodeForms` for the form of passwords, `WebAuthn` for the
    /// verification of ceremonies. A rule that called a service or read a store would have to import more.
    @Test func rulesImportValuesOnly() {
        let allowed: Set<Substring> = [
            "Contracts", "Crypto", "Delivery", "FoundationEssentials", "JOSE", "JSON", "Pages", "PhoneNumbers",
            "PublicSuffixes",
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
