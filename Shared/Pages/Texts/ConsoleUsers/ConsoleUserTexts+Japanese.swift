extension PageTexts.ConsoleUsers {
    static let japanese = Self(
        unverified: "アドレスが未確認",
        withoutFactor: "2 段階目の要素がない",
        ofProvider: "プロバイダーのアカウントがある",
        createdSince: "指定日以降に作成",
        moreFilters: "プロバイダーと日付",
        sortHint: "すべてのユーザーの一覧の並び順です。検索と絞り込みには独自の順序があります。",
        provider: "プロバイダーの ID",
        providerMissing: "プロバイダーを入力してください（例: google.com）。",
        since: "作成日（UTC）がこの日以降",
        dayMalformed: "日付は年、月、日の順に書いてください: 2026-11-01",
        chosen: "選択",
        choose: { "\($0) を選択" },
        choosing: "選択したユーザーが対象です。何も選択しない場合は、この一覧に該当する全員が対象です。次のページに対象と結果が表示されます。",
        disableAll: .init(
            title: "これらのアカウントを無効にする",
            body: "ユーザーはログインできなくなり、トークンは拒否されます。アカウントを有効に戻すとセッションは続きます。"
        ),
        enableAll: .init(
            title: "これらのアカウントを有効にする",
            body: "ユーザーは再びログインでき、以前のセッションも続きます。"
        ),
        endSessionsOfAll: .init(
            title: "これらのユーザーのセッションを終了する",
            body: "ユーザーはすべてのデバイスでログアウトし、すべてのトークンが無効になります。"
        ),
        sendVerificationToAll: .init(
            title: "確認メールを送る",
            body: "各ユーザーに、アドレスを確認するリンクのメールが届きます。メールの上限が適用されます。"
        ),
        deleteAll: .init(
            title: "これらのアカウントを削除する",
            body: "アカウントと、そのセッション、要素、パスキーが削除されます。元に戻せません。"
        ),
        nothingToDo: "することはありません。変更されるユーザーがいません。",
        countOfUsers: { "\($0) 人のユーザー" },
        skipped: { "ほかの \($0) 人はすでにその状態で、変わりません。" },
        atLeastUsers: { "\($0) 人以上のユーザー" },
        uncounted: "ここで数えた数より多くのユーザーが該当します。処理はすべての人に対して行われます。",
        cutOff:
            "テキスト検索で見つかる数より多くのユーザーが該当します。対象はここで数えた人だけです。ほかの人は、続けて入力して探してください。",
        progress: { done, total in
            total.map { "\($0) 件中 \(done) 件完了" } ?? "\(done) 件完了"
        },
        lookAgain: "このページは 2 秒ごとに更新されます。離れても作業は続きます。",
        lookNow: "今すぐ更新",
        stop: "停止",
        complete: "完了しました。",
        stopped: "停止しました。済んだ分はそのままです。残りは繰り返してください。",
        roleEnded: "停止しました。セッションが終了したか、役割で許可されなくなりました。済んだ分はそのままです。",
        failed: "残りは実行されませんでした。理由:",
        failures: { "\($0) 件のアカウントは変更されませんでした:" },
        unknownWork: .init(
            title: "この作業は見つかりません",
            body: "ずっと前に終わったか、その間にプロセスが再起動されました。何が行われたかは監査ログにあります。繰り返しても安全です。済んだことは二度行われません。"
        ),
        busy: .init(
            title: "実行中の作業が多すぎます",
            body: "これ以上の長い作業は同時に始められません。どれかが終わってから、もう一度お試しください。"
        ),
        importUsers: "ユーザーをインポート",
        importBody: "まずファイルを調べます。まだ何も変わりません。次のページに、インポートの内容が表示されます。",
        file: "ユーザーのファイル",
        fileHint:
            "firebase auth:export が書いたもの（JSON または CSV）、または latchkey users export の JSON Lines。名前は .json、.csv、.jsonl で終わります。最大 1 MB。より大きいファイルや封印されたファイルには latchkey users import を使ってください。",
        fileMissing: "空でないファイルを選んでください。",
        hashParameters: "ハッシュのパラメーター",
        hashParametersHint: "ファイルに Firebase のパスワードハッシュがある場合は、Firebase コンソールの表示どおりに入力します。なければ空のままにします。",
        hashParametersMalformed: "このハッシュのパラメーターは読み取れません。",
        hashParametersMissing: "ファイルにアルゴリズムのないパスワードハッシュがあります。ハッシュのパラメーターを入力してください。",
        keepExisting: "既存のアカウントを残す",
        check: "ファイルを調べる",
        existingAreKept: "既存のアカウントはそのままです。",
        existingAreReplaced: "既存のアカウントは置き換えられ、ユーザーはログアウトします。元に戻せません。",
        unreadableFrom: { "\($0) 番目のレコードから先は読み取れません。それより前は済んでいます。" },
        exportUsers: "ユーザーをエクスポート",
        exportBody: "ファイルは 1 行に 1 人のユーザーを JSON で持ち、パスワードは含みません。クレームは管理者の場合だけ含まれます。",
        exportProfiles: "ユーザーをダウンロード",
        exportHashesBody: "パスワードハッシュとその鍵があれば、別のインストールでパスワードを確認できます。ファイルを持つ人はパスワードを試せます。ダウンロードは監査ログに残ります。",
        exportHashes: "パスワードハッシュ付きでダウンロード",
        exportCutOff: "ファイルが最後まで届かない場合、ブラウザーはダウンロードの失敗を表示します。その場合はやり直してください。",
        codesBlocked: { "誤ったコードが多すぎたため、\($1) まで \($0) のコードは拒否されます。" },
        codesBlockedForGood: { "誤ったコードが多すぎたため、\($0) のコードは今後も拒否されます。要素を削除すると、ユーザーは再び追加できます。" },
        codesUnknown: "誤ったコードがログインを妨げているかはわかりません。サービスが応答していません。")
}
