extension PageTexts.ConsoleUsers {
    static let english = Self(
        unverified: "Address not confirmed",
        withoutFactor: "Without a second factor",
        ofProvider: "With an account at a provider",
        createdSince: "Created since a day",
        moreFilters: "Provider and day",
        sortHint: "For the list of all users. Searches and filters have an order of their own.",
        provider: "ID of the provider",
        providerMissing: "Name the provider, such as google.com.",
        since: "Created since (UTC)",
        dayMalformed: "Write the day as year, month and day: 2026-11-01.",
        chosen: "Choose",
        choose: { "Choose \($0)" },
        choosing:
            "For the users that you choose, or, if you choose none, for all that this list finds. The next page says which they are and what follows.",
        disableAll: .init(
            title: "Disable these accounts",
            body:
                "The users cannot sign in, and tokens are refused. Their sessions go on when the accounts are enabled again."
        ),
        enableAll: .init(
            title: "Enable these accounts",
            body: "The users can sign in again, and earlier sessions go on."
        ),
        endSessionsOfAll: .init(
            title: "End the sessions of these users",
            body: "The users are signed out on every device, and every token becomes invalid."
        ),
        sendVerificationToAll: .init(
            title: "Send verification e-mails",
            body: "Each user gets an e-mail with a link that confirms the address. The limits of e-mails hold."
        ),
        deleteAll: .init(
            title: "Delete these accounts",
            body: "The accounts, their sessions, factors and passkeys are deleted. This cannot be undone."
        ),
        nothingToDo: "There is nothing to do: no user is left whom this would change.",
        countOfUsers: { $0 == 1 ? "\($0) user" : "\($0) users" },
        skipped: {
            $0 == 1 ? "\($0) more is already so and stays as it is." : "\($0) more are already so and stay as they are."
        },
        atLeastUsers: { $0 == 1 ? "At least \($0) user" : "At least \($0) users" },
        uncounted: "More users match than are counted here. This goes through all of them.",
        cutOff:
            "More users match than the search for a text gives. This is for those counted here: type more to reach the others.",
        progress: { done, total in
            total.map { "\(done) of \($0) done" } ?? "\(done) done"
        },
        lookAgain: "This page looks again every two seconds. You can leave it: the work goes on.",
        lookNow: "Look now",
        stop: "Stop",
        complete: "This is complete.",
        stopped: "This was stopped. What was done stays. Repeat it for the rest.",
        roleEnded: "This has stopped: your session ended, or your role no longer permits it. What was done stays.",
        failed: "The rest was not done. The reason:",
        failures: { $0 == 1 ? "\($0) account was not changed:" : "\($0) accounts were not changed:" },
        unknownWork: .init(
            title: "This work is not known here",
            body:
                "It ended long ago, or the process was restarted meanwhile. The audit log says what was done. It is safe to repeat it: what is done already is not done twice."
        ),
        busy: .init(
            title: "Too much is under way",
            body: "As much long work as possible is under way. Wait until some of it is complete, and try again."
        ),
        importUsers: "Import users",
        importBody: "First the file is checked, and nothing changes. The next page says what the import would do.",
        file: "File of users",
        fileHint:
            "What firebase auth:export writes (JSON or CSV), or JSON Lines of latchkey users export; its name ends in .json, .csv or .jsonl. At most 1 MB. For a larger or a sealed file, use latchkey users import.",
        fileMissing: "Choose a file that is not empty.",
        hashParameters: "Hash parameters",
        hashParametersHint:
            "As the Firebase console shows them, if the file has password hashes of it. Otherwise leave it empty.",
        hashParametersMalformed: "These hash parameters cannot be read.",
        hashParametersMissing: "The file has password hashes without an algorithm. Add the hash parameters.",
        keepExisting: "Keep accounts that exist",
        check: "Check the file",
        existingAreKept: "Accounts that exist stay as they are.",
        existingAreReplaced: "Accounts that exist are replaced, and their users are signed out. This cannot be undone.",
        unreadableFrom: { "The file cannot be read from record \($0) on. What comes before it is done." },
        exportUsers: "Export users",
        exportBody:
            "The file has one user in each line, in JSON, without passwords. Claims are in it for administrators only.",
        exportProfiles: "Download the users",
        exportHashesBody:
            "With password hashes and their keys, another installation can verify the passwords. Everybody who has the file can try out passwords. The download is recorded in the audit log.",
        exportHashes: "Download with password hashes",
        exportCutOff: "A browser says that the download failed if the file is not complete. Then begin again.",
        codesBlocked: { "Codes of \($0) are refused until \($1), after too many wrong ones." },
        codesBlockedForGood: {
            "Codes of \($0) are refused for good, after too many wrong ones. Remove the factor; the user can add it again."
        },
        codesUnknown: "Whether wrong codes block the sign-in is not known: a service is away.")
}
